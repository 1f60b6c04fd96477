/** What of a patch differs from what is there now. */

export type Value = string | number | boolean | null | undefined;
export type Difference = { name: string; mine: Value; theirs: Value };

/** The fields of the patch that would change what is there now, those of objects within it too. */
export function differencesOf(patch: object, theirs: object, within = ""): readonly Difference[] {
  return Object.entries(patch).flatMap(([key, mine]) => {
    const present = (theirs as Record<string, unknown>)[key];
    const name = within + key;
    if (Array.isArray(mine)) return listDifference(name, mine, present);
    if (typeof mine === "object" && mine !== null) return differencesOf(mine, present ?? {}, `${name}.`);
    return (mine ?? null) === (present ?? null) ? [] : [{ name, mine, theirs: present as Value }];
  });
}

/** A list is one value; the order of what is in it says nothing. Objects in it are told apart by all that they hold. */
function listDifference(name: string, mine: readonly unknown[], present: unknown): readonly Difference[] {
  const textOf = (one: unknown) => (typeof one === "object" ? JSON.stringify(one) : String(one));
  const shown = (list: unknown) => (Array.isArray(list) ? list.map(textOf).toSorted().join(", ") : "");
  return shown(mine) === shown(present) ? [] : [{ name, mine: shown(mine), theirs: shown(present) }];
}
