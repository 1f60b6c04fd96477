import type { Node } from "../graph-types.ts";
import type { Standing } from "./decide.ts";

/** A graph may go round for as long as it likes; a run may not. */
export const MOST_VISITS = 500;

/** Why a step was left. */
export type VisitReason =
  | "done"
  | "waited"
  | "happened"
  | "timeout"
  | "rule"
  | "share"
  | "goal"
  | "exit"
  | "end";

export function reasonOf(node: Node, { wokenBy }: Pick<Standing, "wokenBy">, way: string): VisitReason {
  if (node.type === "wait") return "waited";
  if (node.type === "branch") return "rule";
  if (node.type === "split") return "share";
  if (node.type === "goal") return "goal";
  if (node.type !== "wait_for") return "done";
  if (way === "else") return "timeout";
  return wokenBy === "event" ? "happened" : "rule";
}
