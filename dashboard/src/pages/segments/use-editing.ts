/** The tree of rules as state, with a focus that follows each change. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Editing } from "./editing.ts";
import {
  addTo,
  changeCondition,
  changeGroup,
  duplicate,
  focusAfterRemoval,
  invert,
  move,
  remove,
} from "./rules/edit-tree.ts";
import { type Condition, emptyGroup, type Group, type Node, newNodeId } from "./rules/tree.ts";

const newCondition = (): Condition => ({
  kind: "condition",
  id: newNodeId(),
  nots: 0,
  field: "tag",
  op: "has",
});

type Options = Pick<Editing, "say" | "faults" | "onNamed">;

export function useEditing(root: Group, setRoot: (root: Group) => void, options: Options): Editing {
  const focusNext = useRef<string>(undefined);
  // It is counted, because two changes in a row may want the focus at the same place.
  const [focusings, setFocusings] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number stands for what is to be focused.
  useEffect(() => {
    if (focusNext.current !== undefined) focusOn(focusNext.current);
    focusNext.current = undefined;
  }, [focusings]);
  const apply = (next: Group, focus?: string) => {
    setRoot(next);
    if (focus === undefined) return;
    focusNext.current = focus;
    setFocusings((before) => before + 1);
  };
  const editing = {
    remove: (id: string) => apply(remove(root, id), focusAfterRemoval(root, id)),
    move: (id: string, step: 1 | -1) => apply(move(root, id, step), id),
  };
  return {
    root,
    ...options,
    ...editing,
    change: (id, patch) => setRoot(changeCondition(root, id, patch)),
    changeGroup: (id, patch) => setRoot(changeGroup(root, id, patch)),
    add: (groupId, what) => {
      const rule = newCondition();
      // A group is there for what the one around it doesn't do.
      const node: Node = what === "rule" ? rule : emptyGroup([rule], "any");
      apply(addTo(root, groupId, node), rule.id);
    },
    duplicate: (id) => apply(duplicate(root, id), id),
    invert: (id) => apply(invert(root, id), id),
    onKeyDown: (id) => (event: KeyboardEvent) => {
      if (!event.altKey || !event.shiftKey || event.defaultPrevented) return;
      const run = {
        ArrowUp: () => editing.move(id, -1),
        ArrowDown: () => editing.move(id, 1),
        Delete: () => editing.remove(id),
        Backspace: () => editing.remove(id),
      }[event.key];
      if (!run) return;
      event.preventDefault();
      event.stopPropagation();
      run();
    },
  };
}

/** A rule's first field; of the outermost group, what adds a rule to it. */
function focusOn(id: string): void {
  const subject = document.getElementById(id)?.querySelector<HTMLElement>("[data-subject]");
  (subject ?? document.querySelector<HTMLElement>(`[data-add="${id}"]`))?.focus();
}
