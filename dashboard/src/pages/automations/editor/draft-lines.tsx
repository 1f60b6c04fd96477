/** What has to be told about the draft of an automation, above its steps. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { WholeDraftLines } from "../../../drafts/whole-draft.tsx";
import { sayStep } from "../graph/describe.ts";
import { type Json, readGraph } from "../graph/draft.ts";
import { allSteps, outlineOf } from "../graph/outline.ts";
import { AUTOMATION_FIELDS, type AutomationDrafting } from "./use-automation.ts";
import { useAutomationSay } from "./use-names.ts";

export function AutomationLines({ drafting }: { drafting: AutomationDrafting }) {
  const { t } = useTranslation();
  return (
    <WholeDraftLines
      id={drafting.automation.id}
      drafting={drafting}
      fields={AUTOMATION_FIELDS}
      className="stack automation-lines"
      older="automations.one.keptOlder"
      nameOf={(field) => t(`automations.one.fields.${field}`)}
      deleted={t("automations.one.deleted")}
      back={
        <Link className="btn btn-sm" to="/automations">
          {t("automations.one.back")}
        </Link>
      }
    >
      {(theirs) => (
        <div className="two">
          <StepsOf title={t("automations.one.mySteps")} draft={drafting.draft.draft} />
          <StepsOf title={t("automations.one.theirSteps")} draft={theirs.draft} />
        </div>
      )}
    </WholeDraftLines>
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
