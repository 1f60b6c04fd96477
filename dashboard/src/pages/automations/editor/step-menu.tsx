/** What can be done to a step beside editing it. */
import { Ellipsis } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { Menu, type MenuItem } from "../../../kit/overlays/menu.tsx";
import { typeOf, waysOf } from "../graph/draft.ts";
import { canMove, canRemove, placesFor } from "../graph/edit-graph.ts";
import { useEditing } from "./editing.ts";
import { LeadDialog, MoveDialog } from "./place-dialogs.tsx";
import { useStepActs } from "./use-step-acts.ts";

export function StepMenu({ id, called }: { id: string; called: string }) {
  const { t } = useTranslation();
  const { graph, isLocked, test } = useEditing();
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
    ...(typeOf(graph.nodes[id]) === "email" ? [{ label: t("simulate.test.step"), run: () => test(id) }] : []),
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
