/** A draft as it is typed, and what of it would change the thing that it is of. These functions are pure. */
import type { ApiError } from "../api/problem.ts";
import { sentence } from "../kit/sentence.ts";

export type Merged<T, F extends keyof T> = {
  /** Theirs, with what I changed; where both changed a field, it is mine. */
  readonly draft: Pick<T, F>;
  /** The fields that both changed, and not to the same. */
  readonly contested: readonly F[];
};

export type DraftFields<T, F extends keyof T & string> = ReturnType<typeof draftFields<T, F>>;

/** `together` lists fields that are only right with each other, such as HTML that takes the place of MJML. */
export function draftFields<T, F extends keyof T & string>(
  fields: readonly F[],
  together: readonly (readonly F[])[],
) {
  type Draft = Pick<T, F>;

  const draftOf = (thing: Draft): Draft =>
    Object.fromEntries(fields.map((field) => [field, thing[field]])) as Draft;

  /** The fields in which the two differ. */
  const changedFields = (before: Draft, after: Draft): readonly F[] =>
    fields.filter((field) => !isSameValue(before[field], after[field]));

  const pickFields = (draft: Draft, some: readonly F[]): Partial<Draft> =>
    Object.fromEntries(some.map((field) => [field, draft[field]])) as Partial<Draft>;

  /** The fields that a refusal is about, with those that must not be saved without them. */
  function withCompanions(some: Iterable<string>): ReadonlySet<F> {
    const all = new Set<F>();
    for (const field of some) {
      const known = fields.find((one) => one === field);
      const company = together.find((group) => group.some((one) => one === field));
      for (const one of company ?? (known ? [known] : [])) all.add(one);
    }
    return all;
  }

  /** What two people made of the same thing. */
  function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): Merged<T, F> {
    const ofMine = [...withCompanions(changedFields(base, mine))];
    const ofTheirs = withCompanions(changedFields(base, theirs));
    return {
      draft: { ...theirs, ...pickFields(mine, ofMine) },
      contested: ofMine.filter((field) => ofTheirs.has(field) && !isSameValue(mine[field], theirs[field])),
    };
  }

  return { draftOf, changedFields, pickFields, withCompanions, mergeDrafts };
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** What is said of each field: the pointer `/utm/source` is about `utm.source`. */
export function faultsOf(error: ApiError): Readonly<Record<string, string>> {
  return Object.fromEntries(
    error.faults.map(({ pointer, detail }) => [
      (pointer ?? "").slice(1).replaceAll("/", "."),
      sentence(detail),
    ]),
  );
}
