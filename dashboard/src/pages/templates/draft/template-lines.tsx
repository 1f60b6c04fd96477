/** What has to be told about the draft of a template, below the bar. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { WholeDraftLines } from "../../../drafts/whole-draft.tsx";
import { ContentDiff } from "../versions/content-diff.tsx";
import { TEMPLATE_FIELDS, type TemplateDrafting } from "./use-template.ts";

export function TemplateLines({ drafting }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  return (
    <WholeDraftLines
      id={drafting.template.id}
      drafting={drafting}
      fields={TEMPLATE_FIELDS}
      className="composer-lines"
      older="templates.one.keptOlder"
      nameOf={(field) => t(`templates.fields.${field}`)}
      deleted={t("templates.one.deleted")}
      back={
        <Link className="btn btn-sm" to="/templates">
          {t("templates.one.back")}
        </Link>
      }
    >
      {(theirs) => <ContentDiff before={theirs} after={drafting.draft} />}
    </WholeDraftLines>
  );
}
