/** Names that a content reads, as variables that may be declared. */
import type { Undeclared } from "../preview/use-rendering.ts";
import type { Variable, VariableType } from "./typed-value.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MOST_OFFERED = 20;

const rootOf = (name: string) => name.split(".")[0] ?? "";

/** What only campaigns know is no name that is missing. */
export function offered(
  variables: readonly Variable[],
  undeclared: readonly Undeclared[],
): readonly string[] {
  const declared = new Set(variables.map(({ name }) => name));
  const names = undeclared.filter((one) => !one.is_of_campaigns).map(({ name }) => rootOf(name));
  return [...new Set(names)].filter((name) => NAME.test(name) && !declared.has(name)).slice(0, MOST_OFFERED);
}

/** A name of which something is read, as `order.total`, is an object; all others begin as text. */
export function withVariable(
  variables: readonly Variable[],
  name: string,
  undeclared: readonly Undeclared[],
): readonly Variable[] {
  const hasMembers = undeclared.some((one) => one.name.startsWith(`${name}.`));
  const type: VariableType = hasMembers ? "object" : "string";
  return [...variables, { name, type, required: false, sample: null, default: null }];
}
