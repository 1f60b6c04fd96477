/** One automation as an outline: who enters, the steps, who leaves, and what is still wrong with it. */
import "../../i18n/later/automations/automations.ts";
import "../../i18n/later/automations/lifecycle.ts";
import "../../i18n/later/automations/simulating.ts";
import "../../i18n/later/automations/starts.ts";
import "../../i18n/later/automations/steps.ts";
import "../../i18n/later/writing/composer.ts";
import "./automations.css";
import { getRouteApi } from "@tanstack/react-router";
import { FlaskConical, Redo2, Save, Undo2 } from "lucide-react";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../api/may.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import { LeaveComposer } from "../campaigns/composer/draft/leave-composer.tsx";
import { SaveState } from "../campaigns/composer/draft/save-state.tsx";
import { AutomationLines } from "./editor/draft-lines.tsx";
import { type Editing, EditingProvider } from "./editor/editing.ts";
import { FaultList } from "./editor/fault-list.tsx";
import { HeadMenu } from "./editor/head-menu.tsx";
import { SequenceList } from "./editor/outline-list.tsx";
import { EntryItem, ExitsItem, SendItem } from "./editor/sections.tsx";
import { type AutomationDrafting, useAutomation } from "./editor/use-automation.ts";
import { useHistory } from "./editor/use-history.ts";
import { useAutomationSay } from "./editor/use-names.ts";
import { readGraph } from "./graph/draft.ts";
import { faultsByPlace } from "./graph/faults.ts";
import { outlineOf } from "./graph/outline.ts";
import { StateLine, useStateActions } from "./lifecycle/state-actions.tsx";
import { useCounts } from "./lifecycle/use-counts.ts";

const Simulate = lazyPart(() => import("./simulate/simulate.tsx"));

const route = getRouteApi("/signed-in/automations/$id");

export function AutomationPage() {
  const { id } = route.useParams();
  // A draft of its own for each automation, also where one leads to the next.
  return <OneAutomation key={id} id={id} />;
}

function OneAutomation({ id }: { id: string }) {
  const { t } = useTranslation();
  const opened = useAutomation(id, "steps");
  if (opened.kind === "open") return <Outline drafting={opened} />;
  return (
    <>
      <PageHead
        title={t("automations.one.title")}
        crumb={{ label: t("nav.automations"), to: "/automations" }}
      />
      {opened.kind === "loading" ? (
        <SkeletonLines />
      ) : (
        <Failure title={t("automations.one.unreadable")} error={opened.error} retry={opened.retry} />
      )}
    </>
  );
}

function Outline({ drafting }: { drafting: AutomationDrafting }) {
  const { t } = useTranslation();
  const { draft, automation, state } = drafting;
  const may = useMay();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = useCallback(
    (next: Partial<typeof search>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  const graph = useMemo(() => readGraph(draft.draft), [draft.draft]);
  const outline = useMemo(() => outlineOf(graph), [graph]);
  const faults = useMemo(() => faultsByPlace(automation.faults), [automation.faults]);
  const say = useAutomationSay(graph);
  const counts = useCounts(automation);
  const isArchived = automation.status === "archived";
  const isLocked = state.kind === "deleted" || isArchived || !may("automations:write");
  const history = useHistory(draft.draft, (next) => drafting.change({ draft: next }));
  const focusOn = useFocus();
  const editing: Editing = {
    automationId: automation.id,
    listId: automation.list_id,
    graph,
    outline,
    say,
    counts,
    isLocked,
    faults,
    open: search.open,
    show: (open) => go({ open }),
    change: (next, kind) => history.change(next, kind),
    focusOn,
  };
  const stateActions = useStateActions(drafting);
  useKeys(history, () => void drafting.save());
  const flush = useCallback(() => {}, []);
  const list = say.names.byId[automation.list_id] ?? t("automations.goneList");
  return (
    <EditingProvider value={editing}>
      <PageHead
        title={draft.name}
        crumb={{ label: t("nav.automations"), to: "/automations" }}
        sub={
          <>
            <StateLine drafting={drafting} />
            <span dir="auto">{t("automations.one.of", { list })}</span>
            <SaveState kind={state.kind} savedAt={automation.updated_at} />
          </>
        }
        actions={
          <>
            {!isLocked && (
              <>
                <Button
                  kind="quiet"
                  icon={Undo2}
                  aria-label={t("automations.one.undo")}
                  disabled={!history.undo}
                  onClick={history.undo}
                />
                <Button
                  kind="quiet"
                  icon={Redo2}
                  aria-label={t("automations.one.redo")}
                  disabled={!history.redo}
                  onClick={history.redo}
                />
              </>
            )}
            <Button icon={FlaskConical} needs="automations:write" onClick={() => go({ try: true })}>
              {t("automations.one.try")}
            </Button>
            {stateActions.buttons}
            <HeadMenu drafting={drafting} items={stateActions.menu} />
          </>
        }
      />
      <AutomationLines drafting={drafting} />
      {isArchived && <p className="note info automation-note">{t("lifecycle.archivedNote")}</p>}
      <div className="automation">
        <fieldset className="automation-main" disabled={isLocked}>
          <legend className="sr">{t("automations.outline.title")}</legend>
          <ul className="steps sections" aria-label={t("automations.outline.before")}>
            <EntryItem />
            <ExitsItem />
            <SendItem />
          </ul>
          <h2 className="automation-heading">{t("automations.outline.title")}</h2>
          <SequenceList
            sequence={outline.main}
            label={t("automations.outline.title")}
            addFirst={t("automations.outline.addFirst")}
          />
          {outline.apart.length > 0 && (
            <section className="stack" aria-label={t("automations.outline.apart")}>
              <h2 className="automation-heading">{t("automations.outline.apart")}</h2>
              <p className="sm mid">{t("automations.outline.apartHint")}</p>
              {outline.apart.map((one) => (
                <SequenceList
                  key={one.steps[0]?.id}
                  sequence={one}
                  label={t("automations.outline.apart")}
                  addFirst={t("automations.outline.addFirst")}
                />
              ))}
            </section>
          )}
          {!isLocked && <p className="xs dim hide-s">{t("automations.outline.keys")}</p>}
        </fieldset>
        <aside className="automation-aside" aria-label={t("automations.outline.faults")}>
          <FaultList />
        </aside>
      </div>
      <Suspense>
        {search.try && <Simulate save={drafting.save} onClose={() => go({ try: undefined })} />}
      </Suspense>
      {stateActions.dialogs}
      <LeaveComposer drafting={drafting} flush={flush} save={drafting.save} />
    </EditingProvider>
  );
}

const MENU_CLOSES_MS = 80;

/** Puts the focus onto a step that may yet have to be drawn. */
function useFocus(): (id: string) => void {
  const wanted = useRef<string>(undefined);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number stands for what is to be focused.
  useEffect(() => {
    const { current: id } = wanted;
    if (id === undefined) return;
    wanted.current = undefined;
    headOf(id)?.focus();
    // A menu that closes gives the focus back to its button, unless that is the step's own.
    const timer = setTimeout(() => {
      const head = headOf(id);
      if (!head?.closest("li")?.contains(document.activeElement)) head?.focus();
    }, MENU_CLOSES_MS);
    return () => clearTimeout(timer);
  }, [count]);
  return useCallback((id) => {
    wanted.current = id;
    setCount((before) => before + 1);
  }, []);
}

const headOf = (id: string) =>
  document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"] > .step-row > .step-head`);

function useKeys(history: ReturnType<typeof useHistory>, save: () => void): void {
  const { t } = useTranslation();
  const step = (by: 1 | -1) => () => {
    const heads = [...document.querySelectorAll<HTMLElement>(".step-head")];
    const at = heads.indexOf(document.activeElement as HTMLElement);
    heads[Math.max(0, Math.min(heads.length - 1, at + by))]?.focus();
  };
  useRegisterActions([
    { id: "automation-save", label: t("automations.one.saveNow"), icon: Save, keys: "mod+s", run: save },
    {
      id: "automation-undo",
      label: t("automations.one.undo"),
      icon: Undo2,
      keys: "u",
      run: () => history.undo?.(),
    },
    { id: "automation-redo", label: t("automations.one.redo"), icon: Redo2, run: () => history.redo?.() },
    { id: "automation-next", label: t("automations.outline.nextStep"), keys: "j", run: step(1) },
    { id: "automation-last", label: t("automations.outline.lastStep"), keys: "k", run: step(-1) },
  ]);
}
