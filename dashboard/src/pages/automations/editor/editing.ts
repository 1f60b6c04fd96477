/** What every part of the outline works with: the draft, what is open, and how to change it. */
import { createContext, useContext } from "react";
import type { Say } from "../../segments/rules/sentence.ts";
import type { Graph } from "../graph/draft.ts";
import type { FaultPlace, PlacedFault } from "../graph/faults.ts";
import type { Outline } from "../graph/outline.ts";
import type { Counts } from "../lifecycle/use-counts.ts";

/** A step by its id after `step:`, or a part of the draft. */
type Opened = Exclude<FaultPlace, "draft">;

export type Editing = {
  readonly automationId: string;
  readonly listId: string;
  readonly graph: Graph;
  readonly outline: Outline;
  readonly say: Say;
  readonly counts: Counts | undefined;
  readonly isLocked: boolean;
  readonly faults: ReadonlyMap<FaultPlace, readonly PlacedFault[]>;
  /** What is open for editing. */
  readonly open: Opened | undefined;
  readonly show: (place: Opened | undefined) => void;
  /** Changes of one `kind` that follow each other at once, such as letters, are undone together. */
  readonly change: (graph: Graph, kind?: string) => void;
  /** Asks to whom the mail of a step is to be sent as a test. */
  readonly test: (id: string) => void;
  /** Puts the focus onto a step once it is there. */
  readonly focusOn: (id: string) => void;
};

const Context = createContext<Editing | undefined>(undefined);
export const EditingProvider = Context.Provider;

export function useEditing(): Editing {
  const editing = useContext(Context);
  if (!editing) throw new Error("there is no draft around this");
  return editing;
}
