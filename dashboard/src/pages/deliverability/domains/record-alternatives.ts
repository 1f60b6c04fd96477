import type { DomainRecord } from "../../../api/openapi.ts";

type Alternative = { readonly type: string; readonly name: string; readonly expected: string };

type Alternatives = {
  readonly records: readonly Alternative[];
  /** The record itself can't be published at this name, so these are what is wanted. */
  readonly isNeeded: boolean;
};

/** Each kind of record has details of its own, so what isn't known here is left out. */
export function alternativesOf({ details }: Pick<DomainRecord, "details">): Alternatives {
  const given: unknown = details?.["alternatives"];
  const records = Array.isArray(given) ? given.filter(isAlternative) : [];
  return { records, isNeeded: details?.["by"] === "mx" };
}

function isAlternative(given: unknown): given is Alternative {
  if (typeof given !== "object" || given === null) return false;
  const { type, name, expected } = given as Record<string, unknown>;
  return [type, name, expected].every((one) => typeof one === "string");
}
