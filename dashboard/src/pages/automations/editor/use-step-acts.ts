/** What can be done to a step, by its menu and by keys. */
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { notify } from "../../../kit/toasts.tsx";
import { sayStep } from "../graph/describe.ts";
import type { StepType } from "../graph/draft.ts";
import { canMove, canRemove, insertStep, moveStep, newStepId, removeStep } from "../graph/edit-graph.ts";
import { type Gap, positionOf } from "../graph/outline.ts";
import { useEditing } from "./editing.ts";
import { newStep } from "./step-kinds.ts";

export function useStepActs() {
  const { t } = useTranslation();
  const { graph, outline, change, show, focusOn, say, isLocked } = useEditing();
  const acts = {
    add(gap: Gap, type: StepType) {
      const id = newStepId(graph, type);
      change(insertStep(graph, gap, id, newStep(type, t)));
      show(`step:${id}`);
      focusOn(id);
    },
    move(id: string, by: 1 | -1) {
      if (!canMove(graph, id, by)) return;
      change(moveStep(graph, id, by));
      focusOn(id);
    },
    remove(id: string) {
      if (!canRemove(graph, id)) return;
      const found = positionOf(outline, id);
      const next = removeStep(graph, id);
      const count = Object.keys(graph.nodes).length - Object.keys(next.nodes).length;
      change(next);
      show(undefined);
      notify(t("automations.outline.deleted", { count, number: say.formatNumber(count) }), {
        label: t("do.undo"),
        run: () => change(graph),
      });
      const neighbour = found && (found.sequence.steps[found.at + 1] ?? found.sequence.steps[found.at - 1]);
      focusOn(neighbour?.id ?? Object.keys(next.nodes)[0] ?? "");
    },
    duplicate(id: string) {
      const found = positionOf(outline, id);
      const gap = found?.sequence.gaps[found.at + 1];
      const node = graph.nodes[id];
      if (!gap || !node) return;
      const copy = newStepId(graph, String(node["type"]));
      change(insertStep(graph, gap, copy, node));
      focusOn(copy);
    },
  };
  const onKeyDown = (id: string) => (event: KeyboardEvent) => {
    if (isLocked || !event.altKey || !event.shiftKey || event.defaultPrevented) return;
    const run = {
      ArrowUp: () => acts.move(id, -1),
      ArrowDown: () => acts.move(id, 1),
      Delete: () => acts.remove(id),
      Backspace: () => acts.remove(id),
    }[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  return { ...acts, onKeyDown, nameOf: (id: string) => sayStep(graph, id, say) };
}
