import type { Attributes } from "../../document/types.ts";
import type { Controls } from "../controls.ts";
import type { Chosen } from "../editor-store.ts";

/** What the fields of a kind are given. */
export type KindProps = {
  readonly controls: Controls;
  readonly chosen: Chosen;
  readonly set: (properties: Attributes) => void;
};
