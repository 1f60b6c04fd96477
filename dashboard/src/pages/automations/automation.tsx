/** One automation, as an outline or on a canvas: who enters, the steps, who leaves, and what is still wrong with it. */
import "../../i18n/later/automations/automations.ts";
import "../../i18n/later/automations/canvas.ts";
import "../../i18n/later/automations/lifecycle.ts";
import "../../i18n/later/automations/runs.ts";
import "../../i18n/later/automations/simulating.ts";
import "../../i18n/later/automations/starts.ts";
import "../../i18n/later/automations/steps.ts";
import "../../i18n/later/writing/composer.ts";
import "./automations.css";
import { getRouteApi } from "@tanstack/react-router";
import { FlaskConical, Redo2, Undo2 } from "lucide-react";
import { Suspense, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../api/may.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { NotInPlan } from "../../shell/not-in-plan.tsx";
import { LeaveComposer } from "../campaigns/composer/draft/leave-composer.tsx";
import { SaveState } from "../campaigns/composer/draft/save-state.tsx";
import { AutomationTabs } from "./editor/automation-tabs.tsx";
import { AutomationLines } from "./editor/draft-lines.tsx";
import { type Editing, EditingProvider } from "./editor/editing.ts";
import { HeadMenu } from "./editor/head-menu.tsx";
import { OutlineView } from "./editor/outline-view.tsx";
import { type AutomationDrafting, useAutomation } from "./editor/use-automation.ts";
import { useFocus, useKeys } from "./editor/use-focus.ts";
import { useHistory } from "./editor/use-history.ts";
import { useAutomationSay } from "./editor/use-names.ts";
import { useView, ViewSwitch } from "./editor/view-switch.tsx";
import { readGraph, typeOf } from "./graph/draft.ts";
import { faultsByPlace } from "./graph/faults.ts";
import { outlineOf } from "./graph/outline.ts";
import { OverdueWork } from "./lifecycle/overdue-work.tsx";
import { StateLine, useStateActions } from "./lifecycle/state-actions.tsx";
import { useCounts } from "./lifecycle/use-counts.ts";

const Canvas = lazyPart(() => import("./canvas/canvas.tsx"));
const TestMails = lazyPart(() => import("./testing/test-mails.tsx"));
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
  if (opened.kind === "open") return <Editor drafting={opened} />;
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

function Editor({ drafting }: { drafting: AutomationDrafting }) {
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
  // The step whose mail is to be sent as a test; '' for all of them.
  const [test, setTest] = useState<string>();
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
    test: setTest,
    focusOn,
  };
  const stateActions = useStateActions(drafting);
  useKeys(history, () => void drafting.save());
  const hasMail = Object.values(graph.nodes).some((node) => typeOf(node) === "email");
  const flush = useCallback(() => {}, []);
  const [view, setView] = useView(search.view, (next) => go({ view: next }));
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
            <ViewSwitch view={view} onChange={setView} />
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
            <HeadMenu
              drafting={drafting}
              items={stateActions.menu}
              test={hasMail ? () => setTest("") : undefined}
            />
          </>
        }
      />
      <AutomationTabs id={automation.id} />
      <NotInPlan feature="automations" />
      <AutomationLines drafting={drafting} />
      {!isArchived && automation.version_faults.length > 0 && (
        <p className="note danger automation-note" role="alert">
          {t("lifecycle.unreadable", { why: automation.version_faults[0]?.detail })}
        </p>
      )}
      {stateActions.lines}
      <OverdueWork automation={automation} />
      {isArchived && <p className="note info automation-note">{t("lifecycle.archivedNote")}</p>}
      {view === "canvas" ? (
        <Suspense fallback={<SkeletonLines />}>
          <Canvas />
        </Suspense>
      ) : (
        <OutlineView />
      )}
      <Suspense>
        {test !== undefined && (
          <TestMails node={test} save={drafting.save} onClose={() => setTest(undefined)} />
        )}
        {search.try && <Simulate save={drafting.save} onClose={() => go({ try: undefined })} />}
      </Suspense>
      {stateActions.dialogs}
      <LeaveComposer drafting={drafting} flush={flush} save={drafting.save} />
    </EditingProvider>
  );
}
