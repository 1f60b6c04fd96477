/** What has to be told about the draft of an automation, above its steps. */
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ConflictLine, KeptLine, Line, RefusedLine, TakenLine } from "../../../drafts/draft-lines.tsx";
import { formatList } from "../../../i18n/format.ts";
import { ConflictDialog } from "../../../kit/forms/conflict.tsx";
import { sayStep } from "../graph/describe.ts";
import { type Json, readGraph } from "../graph/draft.ts";
import { allSteps, outlineOf } from "../graph/outline.ts";
import { AUTOMATION_FIELDS, type AutomationDraft, type AutomationDrafting } from "./use-automation.ts";
import { useAutomationSay } from "./use-names.ts";

export function AutomationLines({ drafting }: { drafting: AutomationDrafting }) {
  const { state, draft, taken, etag, resume, keep, dismissTaken } = drafting;
  return (
    <div className="stack automation-lines">
      <KeptLine<AutomationDraft>
        id={drafting.automation.id}
        etag={etag}
        isHidden={state.kind === "deleted"}
        isSaved={(mine) => AUTOMATION_FIELDS.changedFields(draft, { ...draft, ...mine }).length === 0}
        older="automations.one.keptOlder"
        resume={resume}
        keep={keep}
      />
      <StateLine drafting={drafting} />
      <TakenLine taken={taken} dismiss={dismissTaken} />
    </div>
  );
}

function StateLine({ drafting: { state, draft, choose, change } }: { drafting: AutomationDrafting }) {
  const { t } = useTranslation();
  if (state.kind === "conflict")
    return (
      <ConflictLine
        state={state}
        draft={draft}
        fields={formatList(state.contested.map((field) => t(`automations.one.fields.${field}`)))}
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
            <div className="two">
              <StepsOf title={t("automations.one.mySteps")} draft={draft.draft} />
              <StepsOf title={t("automations.one.theirSteps")} draft={state.theirs.body.draft} />
            </div>
          </ConflictDialog>
        )}
      </ConflictLine>
    );
  if (state.kind === "refused") return <RefusedLine error={state.error} />;
  if (state.kind !== "deleted") return null;
  return (
    <Line look="danger" icon={CircleAlert} text={t("automations.one.deleted")}>
      <Link className="btn btn-sm" to="/automations">
        {t("automations.one.back")}
      </Link>
    </Line>
  );
}

function StepsOf({ title, draft }: { title: string; draft: Json }) {
  const graph = readGraph(draft);
  const say = useAutomationSay(graph);
  return (
    <div className="stack tight">
      <h3>{title}</h3>
      <ol className="sm">
        {allSteps(outlineOf(graph)).map(({ id }) => (
          <li key={id} dir="auto">
            {sayStep(graph, id, say)}
          </li>
        ))}
      </ol>
    </div>
  );
}
