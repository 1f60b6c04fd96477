/** The steps as nested lists: each can be opened, and between any two another can be put. */
import { CircleAlert, CornerDownRight, Ellipsis, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Menu, type MenuItem } from "../../../kit/overlays/menu.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { sayStep, sayWay } from "../graph/describe.ts";
import { typeOf, waysOf } from "../graph/draft.ts";
import { canMove, canRemove, placesFor } from "../graph/edit-graph.ts";
import type { PlacedFault } from "../graph/faults.ts";
import { OFFERED_STEPS } from "../graph/offered.ts";
import type { Gap, Placed, Sequence } from "../graph/outline.ts";
import { StepCounts, WayCounts } from "../lifecycle/step-counts.tsx";
import { StepFields } from "../steps/step-fields.tsx";
import { useEditing } from "./editing.ts";
import { LeadDialog, MoveDialog } from "./place-dialogs.tsx";
import { STEP_ICONS } from "./step-kinds.ts";
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

function AddStep({ gap, label }: { gap: Gap; label: string }) {
  const { t } = useTranslation();
  const { isLocked } = useEditing();
  const { add } = useStepActs();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (isLocked) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="step-add"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon of={Plus} size="sm" />
        <span className="step-add-word">{t("automations.outline.addHere")}</span>
      </button>
      {isOpen && (
        <Menu
          anchor={button}
          onClose={() => setOpen(false)}
          items={OFFERED_STEPS.map((type) => ({
            label: t(`step.kinds.${type}`),
            icon: STEP_ICONS[type],
            run: () => add(gap, type),
          }))}
        />
      )}
    </>
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
const hasNoField = (part: string) => /^(|type|next|then|else|ways\/\d+(\/next)?)$/.test(part);

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

function StepMenu({ id, called }: { id: string; called: string }) {
  const { t } = useTranslation();
  const { graph, isLocked } = useEditing();
  const { move, remove, duplicate } = useStepActs();
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<"move" | "lead">();
  const button = useRef<HTMLButtonElement>(null);
  if (isLocked) return null;
  const ways = waysOf(graph.nodes[id] ?? {});
  const close = () => setAsked(undefined);
  const items = (): readonly MenuItem[] => [
    ...(canMove(graph, id, -1) ? [{ label: t("automations.outline.moveUp"), run: () => move(id, -1) }] : []),
    ...(canMove(graph, id, 1) ? [{ label: t("automations.outline.moveDown"), run: () => move(id, 1) }] : []),
    ...(placesFor(graph, id).length > 0
      ? [{ label: t("automations.outline.moveTo"), run: () => setAsked("move") }]
      : []),
    ...(ways.length > 0 ? [{ label: t("automations.outline.leadTo"), run: () => setAsked("lead") }] : []),
    ...(ways.length === 1 ? [{ label: t("automations.outline.duplicate"), run: () => duplicate(id) }] : []),
    ...(canRemove(graph, id)
      ? [{ label: t("automations.outline.delete"), danger: true, run: () => remove(id) }]
      : []),
  ];
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn btn-quiet btn-sm btn-icon"
        aria-label={t("automations.outline.more", { step: called })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon of={Ellipsis} />
      </button>
      {isOpen && <Menu anchor={button} onClose={() => setOpen(false)} items={items()} />}
      {asked === "move" && <MoveDialog id={id} onClose={close} />}
      {asked === "lead" && <LeadDialog slots={ways.map(({ key }) => ({ node: id, key }))} onClose={close} />}
    </>
  );
}
