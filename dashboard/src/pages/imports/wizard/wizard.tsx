/**
 * Brings people in from a file, in steps: which file, what its columns become, a dry run, how people agreed, and the import.
 * The step is in the address, so "back" goes one step back; what was told is in the memory of this page until it is left.
 */
import "../../../i18n/later/import-wizard.ts";
import { getRouteApi, useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatBytes } from "../../../i18n/format.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { useLists } from "../../subscribers/reference-data.ts";
import { ColumnsStep } from "./columns-step.tsx";
import { ConsentStep } from "./consent-step.tsx";
import { contentOf, type Draft, emptyDraft, isBegun } from "./draft.ts";
import { FileStep } from "./file-step.tsx";
import { FormatLine } from "./format-dialog.tsx";
import type { Step } from "./search.ts";
import type { StepProps } from "./step-props.ts";
import { Steps } from "./steps.tsx";
import { TryStep } from "./try-step.tsx";
import "../../../styles/imports.css";

const route = getRouteApi("/signed-in/imports/new");

export function Wizard() {
  const { for: target = "subscribers" } = route.useSearch();
  // Another target is another wizard, with nothing of the first.
  return <WizardFor key={target} target={target} />;
}

function WizardFor({ target }: { target: Draft["target"] }) {
  const { t } = useTranslation();
  const { step: asked = "file", list } = route.useSearch();
  const navigate = route.useNavigate();
  const [draft, setDraft] = useState(() => emptyDraft(target, list ?? ""));
  const step = reachable(asked, draft);

  const change: StepProps["change"] = (next) =>
    setDraft((before) => (typeof next === "function" ? next(before) : { ...before, ...next }));
  const go = (next: Step) => void navigate({ search: (before) => ({ ...before, step: next }) });

  useEffect(() => {
    if (step !== asked) void navigate({ search: (before) => ({ ...before, step }), replace: true });
  }, [step, asked, navigate]);

  // A new step begins at its top, for the keyboard and for whoever listens to the page.
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) document.getElementById("main")?.focus();
    shown.current = step;
  }, [step]);

  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: isBegun(draft),
    disabled: !isBegun(draft),
    withResolver: true,
  });
  const onImported = (id: string) =>
    void navigate({ to: "/imports/$id", params: { id }, replace: true, ignoreBlocker: true });

  const props = { draft, change, go };
  return (
    <>
      <Head draft={draft} step={step} change={change} />
      <Steps target={target} now={step} />
      {step === "file" && <FileStep {...props} />}
      {step === "columns" && <ColumnsStep {...props} />}
      {step === "try" && <TryStep {...props} onImported={onImported} />}
      {step === "consent" && <ConsentStep {...props} onImported={onImported} />}
      {leaving.status === "blocked" && (
        <ConfirmDialog
          title={t("wizard.leave.title")}
          lead={t("wizard.leave.lead")}
          action={t("wizard.leave.action")}
          confirm={async () => leaving.proceed()}
          onClose={() => leaving.reset()}
        />
      )}
    </>
  );
}

/** A step can be opened once those before it have been taken; after a reload the file is gone, and it starts anew. */
function reachable(asked: Step, draft: Draft): Step {
  if (asked === "file" || !draft.preview) return "file";
  if (asked === "consent" && (draft.target === "suppressions" || !draft.trial)) return "try";
  return asked;
}

function Head({ draft, step, change }: { draft: Draft; step: Step; change: StepProps["change"] }) {
  const { t } = useTranslation();
  const lists = useLists();
  const isAboutPeople = draft.target === "subscribers";
  const crumb = isAboutPeople
    ? { label: t("nav.subscribers"), to: "/subscribers" as const }
    : { label: t("nav.suppressions"), to: "/suppressions" as const };
  if (step === "file") {
    const title = isAboutPeople ? t("wizard.title") : t("wizard.titleSuppressions");
    return <PageHead title={title} crumb={crumb} sub={t("wizard.lead")} />;
  }
  const { name, size } = contentOf(draft, t("wizard.pastedName"));
  const list = lists.find(({ id }) => id === draft.listId);
  return (
    <PageHead
      title={t("imports.titleOf", { name })}
      crumb={crumb}
      sub={
        <>
          <span className="break">
            {isAboutPeople
              ? t("wizard.sizeInto", { size: formatBytes(size), list: list?.name ?? "" })
              : t("wizard.size", { size: formatBytes(size) })}
          </span>
          {step === "columns" && <FormatLine draft={draft} change={change} />}
        </>
      }
    />
  );
}
