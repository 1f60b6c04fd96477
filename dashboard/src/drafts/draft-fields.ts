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

/** The order of members means nothing. Of a long mail most parts are the very same objects, so that little has to be looked at. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [members, others] = [membersOf(one), membersOf(other)];
  return (
    members.size === others.size &&
    [...members].every(([name, value]) => isSameValue(value, others.get(name)))
  );
}

/** A member that is undefined isn't sent. */
function membersOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined));
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
