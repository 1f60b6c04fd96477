/** The rules as they are edited: the API's tree, with a name for each node. Nothing is lost on the way in and out. */

type Common = {
  readonly id: string;
  /** How often `not` stands around it. */
  readonly nots: number;
};

export type Condition = Common & {
  readonly kind: "condition";
  readonly field: string;
  readonly op: string;
  /** As the API has it; a number that isn't one yet is a text. */
  readonly value?: unknown;
  readonly machines?: boolean;
};

export type Group = Common & {
  readonly kind: "group";
  readonly word: "all" | "any";
  readonly members: readonly Node[];
  /** The API's tree had a condition alone in its place, and gets it back while it is alone. */
  readonly isImplicit?: true;
};

export type Node = Condition | Group;
export type Rules = Readonly<Record<string, unknown>>;

let lastId = 0;
export const newNodeId = () => `rule-${++lastId}`;

export const emptyGroup = (members: readonly Node[] = [], word: "all" | "any" = "all"): Group => ({
  kind: "group",
  id: newNodeId(),
  nots: 0,
  word,
  members,
});

export function readTree(rules: Rules): Group {
  const node = readNode(rules, 0);
  return node.kind === "group" ? node : { ...emptyGroup([node]), isImplicit: true };
}

function readNode(rules: Rules, nots: number): Node {
  const { all, any, not, field, op, value, machines } = rules;
  if (not !== undefined) return readNode(not as Rules, nots + 1);
  if (Array.isArray(all) || Array.isArray(any)) {
    const members = ((all ?? any) as Rules[]).map((one) => readNode(one, 0));
    return { ...emptyGroup(members, all ? "all" : "any"), nots };
  }
  return {
    kind: "condition",
    id: newNodeId(),
    nots,
    field: String(field),
    op: String(op),
    ...(value !== undefined && { value }),
    ...(machines === true && { machines }),
  };
}

/** The rules, and which node stands at which pointer. */
export type Written = { readonly rules: Rules; readonly places: ReadonlyMap<string, string> };

/** Leaves out the conditions that aren't wanted, and groups that are empty then. Undefined where nothing is left. */
export function writeTree(root: Group, isWanted: (one: Condition) => boolean): Written | undefined {
  const places = new Map<string, string>();
  const kept = keep(root, isWanted);
  return kept && { rules: writeNode(kept, "/rules", places), places };
}

function keep(node: Node, isWanted: (one: Condition) => boolean): Node | undefined {
  if (node.kind === "condition") return isWanted(node) ? node : undefined;
  const members = node.members.map((one) => keep(one, isWanted)).filter((one) => one !== undefined);
  return members.length > 0 ? { ...node, members } : undefined;
}

function writeNode(node: Node, at: string, places: Map<string, string>): Rules {
  places.set(at, node.id);
  if (node.nots > 0) return { not: writeNode({ ...node, nots: node.nots - 1 }, `${at}/not`, places) };
  if (node.kind === "condition") {
    const { field, op, value, machines } = node;
    return { field, op, ...(value !== undefined && { value }), ...(machines && { machines }) };
  }
  const { word, members, isImplicit } = node;
  const [only] = members;
  if (isImplicit && only && members.length === 1) return writeNode(only, at, places);
  return { [word]: members.map((one, index) => writeNode(one, `${at}/${word}/${index}`, places)) };
}

export type NodeFault = { readonly part: string; readonly detail: string };
type Fault = { readonly pointer?: string | undefined; readonly detail: string };

/** Each fault by the node that its pointer leads to; what leads to none is left out. */
export function faultsByNode(
  faults: readonly Fault[],
  places: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly NodeFault[]> {
  const found = new Map<string, NodeFault[]>();
  for (const { pointer = "", detail } of faults) {
    let at = pointer;
    while (at !== "" && !places.has(at)) at = at.slice(0, at.lastIndexOf("/"));
    const id = places.get(at);
    if (id) found.set(id, [...(found.get(id) ?? []), { part: pointer.slice(at.length + 1), detail }]);
  }
  return found;
}

export function conditionsIn(node: Node): readonly Condition[] {
  return node.kind === "condition" ? [node] : node.members.flatMap(conditionsIn);
}

/** Nothing is missing in it, though it may still be wrong. */
export function isFinished({ value }: Condition, shape: string | undefined): boolean {
  const isThere = (one: unknown) => one !== undefined && one !== "";
  if (shape === undefined || shape === "none") return true;
  if (Array.isArray(value)) return value.length > 0 && value.every(isThere);
  if (shape === "link") {
    const { campaign_id, url } = (value ?? {}) as Record<string, unknown>;
    return isThere(campaign_id) && isThere(url);
  }
  if (shape === "mails") {
    const { mails, days } = (value ?? {}) as Record<string, unknown>;
    return isThere(mails) && isThere(days);
  }
  if (shape === "event") return isThere((value as { name?: unknown } | undefined)?.name);
  return isThere(value);
}
