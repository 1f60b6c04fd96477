import type { PeopleChange } from "../../subscribers/subscribers.ts";
import type { Node } from "../graph-types.ts";

/** Says what a step changes about a person; undefined for one that changes nothing. */
export function changeOf(node: Node): PeopleChange | undefined {
  switch (node.type) {
    case "tag":
    case "field":
    case "list":
    case "unsubscribe":
      return node;
    default:
      return undefined;
  }
}
