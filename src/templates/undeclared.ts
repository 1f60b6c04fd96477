/** The names that a content reads and that are no variables of its template. */
import type { CompiledContent, UsedVariable } from "../content/content.ts";
import { isKnownVariable } from "../messages/messages.ts";
import type { Variable } from "./variables.ts";

export type UndeclaredName = {
  readonly name: string;
  readonly is_of_campaigns: boolean;
  readonly part: string;
  readonly line: number;
  readonly column: number;
};

/** Of so many an author learns what is to be done, and a content of half a megabyte may read thousands. */
const MOST = 100;

/** Returns the names that a content reads and that are no variables of the template. A campaign may know them. */
export function undeclaredNames(
  { variables: used }: Pick<CompiledContent, "variables">,
  declared: readonly Variable[],
): readonly UsedVariable[] {
  const names = new Set(declared.map(({ name }) => name));
  return used.filter(({ name }) => !names.has(name.split(".")[0] ?? ""));
}

export function readUndeclared(
  compiled: Pick<CompiledContent, "variables">,
  declared: readonly Variable[],
  fields: readonly { readonly key: string }[],
): readonly UndeclaredName[] {
  const keys = new Set(fields.map(({ key }) => key));
  return undeclaredNames(compiled, declared)
    .slice(0, MOST)
    .map(({ name, part, line, column }) => ({
      name,
      is_of_campaigns: isKnownVariable(name, keys),
      part,
      line,
      column,
    }));
}
