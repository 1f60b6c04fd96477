import { Link } from "@tanstack/react-router";
import { ArrowRight, ChevronRight, Send } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { BrandMark } from "../../../shell/brand.tsx";
import { SaveState } from "./draft/save-state.tsx";
import type { BarDrafting } from "./draft/use-envelope.ts";
import { TitleField } from "./fields/title-field.tsx";

type Props = { drafting: BarDrafting; onTest: () => void; onReview: () => void };

/** The way back, the campaign's name, whether it is saved, and what is done with it next. */
export const ComposerBar = memo(function ComposerBar({ drafting, onTest, onReview }: Props) {
  const { t } = useTranslation();
  const { status } = drafting.campaign;
  const known = status === "draft" || status === "scheduled" || status === "paused" || status === "failed";
  const isLocked = drafting.state.kind === "locked" || drafting.state.kind === "deleted";
  return (
    <header className="composer-bar">
      <Link to="/campaigns" className="composer-mark" aria-label={t("composer.toCampaigns")}>
        <BrandMark />
      </Link>
      <nav className="crumbs hide-s" aria-label={t("app.crumbs")}>
        <Link to="/campaigns">{t("nav.campaigns")}</Link>
        <Icon of={ChevronRight} size="sm" />
      </nav>
      <TitleField
        name={drafting.draft.name}
        label={t("composer.name")}
        fault={drafting.faults["name"]}
        onChange={(name) => drafting.change({ name })}
      />
      {known && <span className="badge hide-s">{t(`composer.status.${status}`)}</span>}
      <SaveState kind={drafting.state.kind} savedAt={drafting.campaign.updated_at} />
      <span className="grow" />
      <Button icon={Send} needs="campaigns:test" disabled={isLocked} onClick={onTest}>
        <span className="composer-word">{t("composer.test")}</span>
      </Button>
      <Button kind="go" icon={ArrowRight} needs="campaigns:send" disabled={isLocked} onClick={onReview}>
        {t("composer.review")}
      </Button>
    </header>
  );
});
