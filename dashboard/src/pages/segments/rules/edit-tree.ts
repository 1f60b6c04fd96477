/** Changes to the tree of rules: each returns a new tree, and leaves the old one as it was. */
import { type Condition, type Group, type Node, newNodeId } from "./tree.ts";

/** The API takes no more levels than this; a `not` is one as well. */
const DEEPEST = 8;

/** Changes one node; undefined takes it out, and with it the group that it was the last of. */
function replace(group: Group, id: string, change: (node: Node) => readonly Node[]): Group {
  const members = group.members.flatMap((one): readonly Node[] => {
    if (one.id === id) return change(one);
    if (one.kind === "condition") return [one];
    const inner = replace(one, id, change);
    return inner.members.length === 0 && one.members.length > 0 ? [] : [inner];
  });
  return { ...group, members };
}

export function changeCondition(root: Group, id: string, patch: Partial<Condition>): Group {
  return replace(root, id, (node) => [node.kind === "condition" ? { ...node, ...patch } : node]);
}

/** What is chosen for a group is more than what was read of a condition alone. */
export function changeGroup(root: Group, id: string, patch: Pick<Group, "word" | "nots">): Group {
  const { isImplicit: _alone, ...plain } = root;
  if (root.id === id) return { ...plain, ...patch };
  return replace(root, id, (node) => [node.kind === "group" ? { ...node, ...patch } : node]);
}

export function invert(root: Group, id: string): Group {
  return replace(root, id, (node) => [{ ...node, nots: node.nots === 0 ? 1 : node.nots - 1 }]);
}

export function addTo(root: Group, groupId: string, node: Node): Group {
  if (root.id === groupId) return { ...root, members: [...root.members, node] };
  return replace(root, groupId, (group) => [
    group.kind === "group" ? { ...group, members: [...group.members, node] } : group,
  ]);
}

export function duplicate(root: Group, id: string): Group {
  return replace(root, id, (node) => [node, copyOf(node)]);
}

function copyOf(node: Node): Node {
  const copy = { ...node, id: newNodeId() };
  return copy.kind === "group" ? { ...copy, members: copy.members.map(copyOf) } : copy;
}

export const remove = (root: Group, id: string): Group => replace(root, id, () => []);

type Place = { readonly parent: Group; readonly at: number; readonly depth: number };

/** Where a node stands, and how deep. */
function placeOf(group: Group, id: string, depth = 1): Place | undefined {
  const inside = depth + group.nots + 1;
  for (const [at, one] of group.members.entries()) {
    if (one.id === id) return { parent: group, at, depth: inside };
    const found = one.kind === "group" ? placeOf(one, id, inside) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Whether a group of conditions fits into this group. */
export function canNest(root: Group, groupId: string): boolean {
  const depth = groupId === root.id ? 1 : (placeOf(root, groupId)?.depth ?? DEEPEST);
  const nots = groupId === root.id ? root.nots : (nodeOf(root, groupId)?.nots ?? 0);
  return depth + nots + 2 <= DEEPEST;
}

export function nodeOf(group: Group, id: string): Node | undefined {
  const place = placeOf(group, id);
  return place?.parent.members[place.at];
}

/** Who gets the focus when a node goes: the one behind it, else the one before it, else the group's own place. */
export function focusAfterRemoval(root: Group, id: string): string {
  const place = placeOf(root, id);
  if (!place) return root.id;
  const { parent, at } = place;
  const near = parent.members[at + 1] ?? parent.members[at - 1];
  if (near) return near.id;
  return parent.id === root.id ? root.id : focusAfterRemoval(root, parent.id);
}

/** One place up or down. At the end of a group a node leaves it, and a condition enters the group that it meets. */
export function move(root: Group, id: string, step: 1 | -1): Group {
  const place = placeOf(root, id);
  const node = nodeOf(root, id);
  if (!place || !node) return root;
  const { parent, at } = place;
  const next = parent.members[at + step];
  if (!next) {
    if (parent.id === root.id) return root;
    const emptied = parent.members.length === 1;
    return replace(root, parent.id, () => {
      const rest: Group = { ...parent, members: parent.members.filter((one) => one.id !== id) };
      if (emptied) return [node];
      return step > 0 ? [rest, node] : [node, rest];
    });
  }
  const fits = place.depth + next.nots + 1 + node.nots <= DEEPEST;
  if (next.kind === "group" && node.kind === "condition" && fits) {
    const members = step > 0 ? [node, ...next.members] : [...next.members, node];
    return replace(remove(root, id), next.id, () => [{ ...next, members }]);
  }
  const members = parent.members.map((one) => (one.id === id ? next : one.id === next.id ? node : one));
  if (parent.id === root.id) return { ...root, members };
  return replace(root, parent.id, () => [{ ...parent, members }]);
}
