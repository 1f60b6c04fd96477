/** The steps as nested lists: each can be opened, and between any two another can be put. */
import { CircleAlert, CornerDownRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { sayStep, sayWay } from "../graph/describe.ts";
import { typeOf } from "../graph/draft.ts";
import type { PlacedFault } from "../graph/faults.ts";
import type { Gap, Placed, Sequence } from "../graph/outline.ts";
import { StepCounts, WayCounts } from "../lifecycle/step-counts.tsx";
import { StepStats } from "../lifecycle/step-stats.tsx";
import { StepFields } from "../steps/step-fields.tsx";
import { AddStep } from "./add-step.tsx";
import { useEditing } from "./editing.ts";
import { LeadDialog } from "./place-dialogs.tsx";
import { STEP_ICONS } from "./step-kinds.ts";
import { StepMenu } from "./step-menu.tsx";
import { useStepActs } from "./use-step-acts.ts";

type SequenceProps = {
  sequence: Sequence;
  label: string;
  /** What the button says that adds the first step. */
  addFirst: string;
};

export function SequenceList({ sequence, label, addFirst }: SequenceProps) {
  const { steps, gaps } = sequence;
  return (
    <ol className="steps" aria-label={label}>
      {gaps[0] && gaps[0].slots.length > 0 && (
        <li className="step-gap">
          <AddStep gap={gaps[0]} label={addFirst} />
        </li>
      )}
      {steps.map((step, at) => (
        <StepItem key={step.id} step={step} gap={gaps[at + 1]} />
      ))}
      <SequenceEnd sequence={sequence} />
    </ol>
  );
}

/** Where it goes on, if not at what stands below. */
function SequenceEnd({ sequence: { end, gaps } }: { sequence: Sequence }) {
  const { t } = useTranslation();
  const { graph, say, isLocked } = useEditing();
  const [isOpen, setOpen] = useState(false);
  if (end.kind === "over") return null;
  const text =
    end.kind === "joins"
      ? t("automations.outline.joins")
      : end.kind === "link"
        ? t("automations.outline.link", { step: sayStep(graph, end.to, say) })
        : t("automations.outline.nowhere");
  const slots = gaps.at(-1)?.slots ?? [];
  return (
    <li className={end.kind === "nowhere" ? "step-link c-danger" : "step-link"}>
      <Icon of={CornerDownRight} size="sm" />
      <span className="grow">{text}</span>
      {!isLocked && end.kind !== "joins" && slots.length > 0 && (
        <Button size="sm" kind="quiet" onClick={() => setOpen(true)}>
          {t("automations.outline.leadTo")}
        </Button>
      )}
      {isOpen && <LeadDialog slots={slots} onClose={() => setOpen(false)} />}
    </li>
  );
}

function StepItem({ step, gap }: { step: Placed; gap: Gap | undefined }) {
  const { t } = useTranslation();
  const { graph, say, open, show, faults } = useEditing();
  const { onKeyDown } = useStepActs();
  const { id, node, ways } = step;
  const type = typeOf(node) ?? "unknown";
  const isOpen = open === `step:${id}`;
  const called = sayStep(graph, id, say);
  const panel = `panel-${id}`;
  return (
    <li className={`step step-${type}`} data-step={id}>
      <div className="step-row">
        <button
          type="button"
          className="step-head"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          onClick={() => show(isOpen ? undefined : `step:${id}`)}
          onKeyDown={onKeyDown(id)}
        >
          <span className="step-icon">
            <Icon of={STEP_ICONS[type]} />
          </span>
          <span className="step-words">
            <span className="sm dim">{t(`step.kinds.${type}`)}</span>
            <span className="med step-name" dir="auto">
              {called}
            </span>
            <StepCounts id={id} />
          </span>
        </button>
        <StepMenu id={id} called={called} />
      </div>
      {!isOpen && <StepFaults faults={faults.get(`step:${id}`)} />}
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: it is a part of the list's item, and no landmark.
        <div className="step-panel" id={panel} role="group" aria-label={called}>
          <StepFaults faults={faults.get(`step:${id}`)?.filter(({ part }) => hasNoField(part))} />
          <StepStats id={id} />
          <StepFields id={id} />
        </div>
      )}
      {ways.length > 0 && (
        <ul className="step-ways">
          {ways.map((way) => {
            const name = sayWay(node, way.key, say);
            return (
              <li key={way.key}>
                <div className="step-way med sm" dir="auto">
                  {name} <WayCounts id={id} way={way.key} />
                </div>
                <SequenceList
                  sequence={way.sequence}
                  label={name}
                  addFirst={t("automations.outline.addIn", { way: name })}
                />
              </li>
            );
          })}
        </ul>
      )}
      {gap && <AddStep gap={gap} label={t("automations.outline.addAfter", { step: called })} />}
    </li>
  );
}

/** What is wrong with a step as a whole, or with where it leads. */
export const hasNoField = (part: string) => /^(|type|next|then|else|ways\/\d+(\/next)?)$/.test(part);

export function StepFaults({ faults = [] }: { faults: readonly PlacedFault[] | undefined }) {
  if (faults.length === 0) return null;
  return (
    <ul className="step-faults">
      {faults.map(({ part, code, detail }) => (
        <li key={part + code} className="err">
          <Icon of={CircleAlert} size="sm" />
          <span>{sentence(detail)}</span>
        </li>
      ))}
    </ul>
  );
}
