/** What has to be told about the draft of a template, below the bar. */
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ConflictLine, KeptLine, Line, RefusedLine, TakenLine } from "../../../drafts/draft-lines.tsx";
import { formatList } from "../../../i18n/format.ts";
import { ConflictDialog } from "../../../kit/forms/conflict.tsx";
import { ContentDiff } from "../versions/content-diff.tsx";
import { TEMPLATE_FIELDS, type TemplateDraft, type TemplateDrafting } from "./use-template.ts";

export function TemplateLines({ drafting }: { drafting: TemplateDrafting }) {
  const { state, draft, taken, etag, resume, keep, dismissTaken } = drafting;
  return (
    <div className="composer-lines">
      <KeptLine<TemplateDraft>
        id={drafting.template.id}
        etag={etag}
        isHidden={state.kind === "deleted"}
        isSaved={(mine) => TEMPLATE_FIELDS.changedFields(draft, { ...draft, ...mine }).length === 0}
        older="templates.one.keptOlder"
        resume={resume}
        keep={keep}
      />
      <StateLine drafting={drafting} />
      <TakenLine taken={taken} dismiss={dismissTaken} />
    </div>
  );
}

function StateLine({ drafting: { state, draft, choose, change } }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  if (state.kind === "conflict")
    return (
      <ConflictLine
        state={state}
        draft={draft}
        fields={formatList(state.contested.map((field) => t(`templates.fields.${field}`)))}
        choose={choose}
        change={change}
      >
        {({ keepMine, takeTheirs, close }) => (
          <ConflictDialog
            theirs={state.theirs.body}
            keepMine={keepMine}
            takeTheirs={takeTheirs}
            onClose={close}
          >
            <ContentDiff before={state.theirs.body} after={draft} />
          </ConflictDialog>
        )}
      </ConflictLine>
    );
  if (state.kind === "refused") return <RefusedLine error={state.error} />;
  if (state.kind !== "deleted") return null;
  return (
    <Line look="danger" icon={CircleAlert} text={t("templates.one.deleted")}>
      <Link className="btn btn-sm" to="/templates">
        {t("templates.one.back")}
      </Link>
    </Line>
  );
}
