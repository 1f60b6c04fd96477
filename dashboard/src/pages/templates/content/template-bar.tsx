import { Link } from "@tanstack/react-router";
import { ChevronRight, Code, Rocket } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { BrandMark } from "../../../shell/brand.tsx";
import { SaveState } from "../../campaigns/composer/draft/save-state.tsx";
import { TitleField } from "../../campaigns/composer/fields/title-field.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";

type Props = { drafting: TemplateDrafting; isLocked: boolean; onUse: () => void; onPublish: () => void };

/** The way back, the template's name, what of it is published, whether it is saved, and what is done with it next. */
export function TemplateBar({ drafting, isLocked, onUse, onPublish }: Props) {
  const { t } = useTranslation();
  const { template, draft, faults, state, change } = drafting;
  const number = template.published_version;
  return (
    <header className="composer-bar">
      <Link to="/templates" className="composer-mark" aria-label={t("templates.one.back")}>
        <BrandMark />
      </Link>
      <nav className="crumbs hide-s" aria-label={t("app.crumbs")}>
        <Link to="/templates">{t("nav.templates")}</Link>
        <Icon of={ChevronRight} size="sm" />
      </nav>
      <TitleField
        name={draft.name}
        label={t("templates.one.nameLabel")}
        fault={faults["name"]}
        onChange={(name) => change({ name })}
      />
      <span className={number === null ? "badge hide-s" : "badge accent hide-s"}>
        {number === null ? t("templates.notPublished") : t("templates.version", { number })}
      </span>
      {number !== null && template.has_unpublished_changes && (
        <span className="badge warn hide-s">{t("templates.waiting")}</span>
      )}
      <SaveState kind={state.kind} savedAt={template.updated_at} />
      <span className="grow" />
      <Button icon={Code} disabled={isLocked} onClick={onUse}>
        <span className="composer-word">{t("templates.one.use")}</span>
      </Button>
      <Button kind="go" icon={Rocket} disabled={isLocked} onClick={onPublish}>
        {t("templates.one.publish")}
      </Button>
    </header>
  );
}
