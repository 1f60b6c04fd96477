import { Link } from "@tanstack/react-router";
import { ArrowRight, ChevronRight, Pencil, Send } from "lucide-react";
import { memo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { BrandMark } from "../../../shell/brand.tsx";
import { SaveState } from "./draft/save-state.tsx";
import type { EnvelopeDrafting } from "./draft/use-envelope.ts";

type Props = { drafting: EnvelopeDrafting; onTest: () => void; onReview: () => void };

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
      <Name drafting={drafting} />
      {known && <span className="badge hide-s">{t(`composer.status.${status}`)}</span>}
      <SaveState kind={drafting.state.kind} savedAt={drafting.campaign.updated_at} />
      <span className="grow" />
      <Button icon={Send} disabled={isLocked} onClick={onTest}>
        <span className="composer-word">{t("composer.test")}</span>
      </Button>
      <Button kind="go" icon={ArrowRight} disabled={isLocked} onClick={onReview}>
        {t("composer.review")}
      </Button>
    </header>
  );
});

/** The title is what is clicked to rename it. */
function Name({ drafting }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const [isEdited, setEdited] = useState(false);
  const before = useRef("");
  const { name } = drafting.draft;
  const fault = drafting.faults["name"];
  const end = () => setEdited(false);
  if (isEdited || fault) {
    return (
      <h1 className="composer-name">
        <span className="sr">{name}</span>
        <input
          className="input"
          aria-label={t("composer.name")}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? "composer-name-fault" : undefined}
          data-invalid={fault ? "" : undefined}
          maxLength={200}
          ref={(input) => {
            if (isEdited && document.activeElement !== input) input?.select();
          }}
          value={name}
          onChange={(event) => drafting.change({ name: event.target.value })}
          onBlur={end}
          onKeyDown={(event) => {
            if (event.key === "Escape") drafting.change({ name: before.current });
            if (event.key === "Escape" || event.key === "Enter") end();
          }}
        />
        {fault && (
          <span className="composer-name-fault" id="composer-name-fault">
            {fault}
          </span>
        )}
      </h1>
    );
  }
  return (
    <h1 className="composer-name">
      <button
        type="button"
        className="composer-rename"
        title={name}
        onClick={() => {
          before.current = name;
          setEdited(true);
        }}
      >
        <span className="trunc" dir="auto">
          {name}
        </span>
        <Icon of={Pencil} size="sm" />
        <span className="sr">{t("do.rename")}</span>
      </button>
    </h1>
  );
}
