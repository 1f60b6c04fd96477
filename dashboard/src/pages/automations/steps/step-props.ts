import type { Json } from "../graph/draft.ts";

/** What edits one object of the draft: a step, a trigger, an exit. */
export type PartProps = {
  readonly value: Json;
  /** What is undefined in it is taken out. `kind` says which changes are undone together. */
  readonly set: (patch: Json, kind?: string) => void;
  /** What is wrong with a part of it, by its place, such as `until/field`. */
  readonly faultOf: (part: string) => string | undefined;
  /** Unlike that of any other on the page. */
  readonly name: string;
};
