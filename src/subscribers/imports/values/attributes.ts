/** This file flattens a JSON object, as listmonk exports what it knows of a person, into values for custom fields. It is pure. */

const MOST_ATTRIBUTES = 200;
const DEEPEST = 5;

/** Returns the scalars by their path, such as `address.city`; undefined means that the text is no JSON object. */
export function flattenAttributes(text: string): ReadonlyMap<string, string> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const flat = new Map<string, string>();
  const walk = (members: object, prefix: string, depth: number) => {
    for (const [name, member] of Object.entries(members)) {
      if (flat.size >= MOST_ATTRIBUTES) return;
      const path = prefix === "" ? name : `${prefix}.${name}`;
      if (Array.isArray(member)) flat.set(path, member.filter(isScalar).join(", "));
      else if (isScalar(member)) flat.set(path, String(member));
      else if (typeof member === "object" && member !== null && depth < DEEPEST)
        walk(member, path, depth + 1);
    }
  };
  walk(value, "", 1);
  return flat;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
