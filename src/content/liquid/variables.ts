/** Finds the names that a template reads and doesn't set itself, so that unknown ones can be reported. */
import { type Template, type Token, TypeGuards, toValueSync, Value } from "liquidjs";

export type VariableUse = { readonly name: string; readonly offset: number };

/** Returns the first use of each name, as "first_name" or "fields.city". A path ends before a computed key. */
export function findVariables(nodes: readonly Template[]): VariableUse[] {
  const uses = new Map<string, number>();
  visitAll(nodes, new Set(), uses);
  return [...uses].map(([name, offset]) => ({ name, offset }));
}

/** Returns the names that a template sets anywhere, by assignments, counters or loops. */
export function findSetNames(nodes: readonly Template[]): Set<string> {
  const names = new Set<string>();
  const visitAll = (all: readonly Template[]) => {
    for (const node of all) {
      for (const name of node.localScope?.() ?? []) names.add(name.content);
      for (const name of node.blockScope?.() ?? []) names.add(name);
      if (node.children)
        visitAll(toValueSync(node.children(false, true) as IterableIterator<unknown>) as Template[]);
    }
  };
  visitAll(nodes);
  return names;
}

/** Returns the offsets of what uses a filter, tags within tags included. */
export function findFilterUses(nodes: readonly Template[], filter: string): number[] {
  return nodes.flatMap((node) => {
    const isUsing = [...(node.arguments?.() ?? [])].some(
      (argument) => argument instanceof Value && argument.filters.some(({ name }) => name === filter),
    );
    const children = node.children
      ? (toValueSync(node.children(false, true) as IterableIterator<unknown>) as Template[])
      : [];
    return [...(isUsing ? [node.token.begin] : []), ...findFilterUses(children, filter)];
  });
}

type Uses = Map<string, number>;

function visitAll(nodes: readonly Template[], set: Set<string>, uses: Uses): void {
  for (const node of nodes) visit(node, set, uses);
}

function visit(node: Template, set: Set<string>, uses: Uses): void {
  for (const argument of node.arguments?.() ?? []) readArgument(argument, set, uses);
  for (const name of node.localScope?.() ?? []) set.add(name.content);
  if (!node.children) return;
  const children = toValueSync(node.children(false, true) as IterableIterator<unknown>) as Template[];
  const inner = node.blockScope ? new Set([...set, ...node.blockScope()]) : set;
  visitAll(children, inner, uses);
}

function readArgument(argument: Value | Token, set: Set<string>, uses: Uses): void {
  if (!(argument instanceof Value)) {
    readToken(argument, set, uses);
    return;
  }
  for (const token of argument.initial.postfix) readToken(token, set, uses);
  for (const { args } of argument.filters) {
    for (const arg of args) readToken(Array.isArray(arg) ? arg[1] : arg, set, uses);
  }
}

function readToken(token: Token | undefined, set: Set<string>, uses: Uses): void {
  if (!token) return;
  if (TypeGuards.isRangeToken(token)) {
    readToken(token.lhs, set, uses);
    readToken(token.rhs, set, uses);
  }
  if (!TypeGuards.isPropertyAccessToken(token)) return;
  for (const prop of token.props) readToken(prop, set, uses);
  const computed = token.props.findIndex((prop) => !("content" in prop));
  const path = token.props.slice(0, computed === -1 ? undefined : computed);
  const keys = path.map((prop) => String("content" in prop ? prop.content : ""));
  if (token.variable || keys.length === 0 || set.has(keys[0] ?? "")) return;
  const name = keys.join(".");
  if (!uses.has(name)) uses.set(name, token.begin);
}
