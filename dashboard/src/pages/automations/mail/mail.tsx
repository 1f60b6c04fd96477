/** Writes the mail of a step, in the composer's own panes. */
import "../../../i18n/later/automations/automations.ts";
import "../../../i18n/later/automations/steps.ts";
import "../../../i18n/later/writing/composer.ts";
import "../../campaigns/composer/composer.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronRight, Save } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { BrandMark } from "../../../shell/brand.tsx";
import { Content, type ContentHandle } from "../../campaigns/composer/content.tsx";
import { LeaveComposer } from "../../campaigns/composer/draft/leave-composer.tsx";
import { SaveState } from "../../campaigns/composer/draft/save-state.tsx";
import { useVariables } from "../../campaigns/composer/editor/use-variables.ts";
import type { LiquidLineHandle } from "../../campaigns/composer/fields/liquid-line.tsx";
import { Sender, useSenderDefaults } from "../../campaigns/composer/fields/sender.tsx";
import { Subject } from "../../campaigns/composer/fields/subject.tsx";
import { InboxRow } from "../../campaigns/composer/preview/inbox-row.tsx";
import { AutomationLines } from "../editor/draft-lines.tsx";
import { type AutomationDrafting, useAutomation } from "../editor/use-automation.ts";
import { readGraph, textIn } from "../graph/draft.ts";
import { useStepMail } from "./use-step-mail.ts";

const route = getRouteApi("/signed-in/automations/$id/mail/$step");

export function StepMail() {
  const { id, step } = route.useParams();
  return <OneMail key={`${id} ${step}`} id={id} step={step} />;
}

function OneMail({ id, step }: { id: string; step: string }) {
  const { t } = useTranslation();
  const opened = useAutomation(id, `mail ${step}`);
  const node = opened.kind === "open" ? readGraph(opened.draft.draft).nodes[step] : undefined;
  const title = textIn(node?.["subject"]) || t("step.kinds.email");
  useEffect(() => {
    document.title = t("app.pageTitle", { title });
  }, [title, t]);
  if (opened.kind === "open" && node?.["type"] === "email") return <Desk drafting={opened} step={step} />;
  return (
    <>
      <h1 className="sr">{t("step.kinds.email")}</h1>
      {opened.kind === "loading" && <SkeletonLines />}
      {opened.kind === "failed" && (
        <Failure title={t("automations.one.unreadable")} error={opened.error} retry={opened.retry} />
      )}
      {opened.kind === "open" && (
        <Empty title={t("step.mail.gone")} text={t("step.mail.goneText")}>
          <Link className="btn" to="/automations/$id" params={{ id }}>
            {t("step.mail.back")}
          </Link>
        </Empty>
      )}
    </>
  );
}

function Desk({ drafting, step }: { drafting: AutomationDrafting; step: string }) {
  const { t } = useTranslation();
  const { automation, state, heedTyping } = drafting;
  const mail = useStepMail(drafting, step);
  const isLocked = state.kind === "deleted" || !automation.allowed_actions.includes("update");
  const names = useVariables({ listId: automation.list_id });
  const content = useRef<ContentHandle>(null);
  const subject = useRef<LiquidLineHandle>(null);
  const flush = useCallback(() => content.current?.flush(), []);
  useEffect(() => heedTyping(flush), [heedTyping, flush]);
  const save = () => {
    flush();
    return drafting.save();
  };
  useRegisterActions([
    { id: "mail-save", label: t("composer.saveNow"), icon: Save, keys: "mod+s", run: () => void save() },
  ]);
  const { from_name: usualName, from_email: usualEmail } = useSenderDefaults(automation.list_id);
  const row = useMemo(
    () => (
      <InboxRow
        fromName={mail.draft.from_name ?? usualName}
        fromEmail={mail.draft.from_email ?? usualEmail}
        subject={mail.draft.subject}
        previewText={mail.draft.preview_text}
      />
    ),
    [mail.draft, usualName, usualEmail],
  );
  return (
    <div className="composer">
      <header className="composer-bar">
        <Link to="/automations" className="composer-mark" aria-label={t("automations.one.back")}>
          <BrandMark />
        </Link>
        <nav className="crumbs" aria-label={t("app.crumbs")}>
          <Link to="/automations/$id" params={{ id: automation.id }} search={{ open: `step:${step}` }}>
            <span className="trunc" dir="auto">
              {drafting.draft.name}
            </span>
          </Link>
          <Icon of={ChevronRight} size="sm" />
        </nav>
        <h1 className="composer-name">
          <span className="trunc" dir="auto">
            {mail.draft.subject || t("step.noSubject")}
          </span>
        </h1>
        <SaveState kind={state.kind} savedAt={automation.updated_at} />
        <span className="grow" />
        <Link
          className="btn btn-primary"
          to="/automations/$id"
          params={{ id: automation.id }}
          search={{ open: `step:${step}` }}
        >
          {t("step.mail.back")}
        </Link>
      </header>
      <AutomationLines drafting={drafting} />
      <div className="composer-panes step-mail">
        <fieldset className="composer-pane composer-to" disabled={isLocked}>
          <legend className="sr">{t("step.mail.about")}</legend>
          <Subject drafting={mail} isLocked={isLocked} names={names} handle={subject}>
            {row}
          </Subject>
          <Sender drafting={mail} />
        </fieldset>
        <Content drafting={mail} names={names} isLocked={isLocked} handle={content} />
      </div>
      <LeaveComposer drafting={drafting} flush={flush} save={save} />
    </div>
  );
}
