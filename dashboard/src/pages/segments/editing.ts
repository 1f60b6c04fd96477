import type { KeyboardEvent } from "react";
import type { Say } from "./rules/sentence.ts";
import type { Condition, Group, NodeFault } from "./rules/tree.ts";

/** What rows and groups do to the tree. */
export type Editing = {
  readonly root: Group;
  readonly say: Say;
  readonly faults: ReadonlyMap<string, readonly NodeFault[]>;
  readonly change: (id: string, patch: Partial<Condition>) => void;
  readonly changeGroup: (id: string, patch: Pick<Group, "word" | "nots">) => void;
  readonly add: (groupId: string, what: "rule" | "group") => void;
  readonly remove: (id: string) => void;
  readonly move: (id: string, step: 1 | -1) => void;
  readonly duplicate: (id: string) => void;
  readonly invert: (id: string) => void;
  readonly onNamed: (id: string, name: string) => void;
  readonly onKeyDown: (id: string) => (event: KeyboardEvent) => void;
};
