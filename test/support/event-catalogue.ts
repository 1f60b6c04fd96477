/** Holds events against the catalogue, which says what clients are told of them. */
import { EVENT_TYPES, entryOf } from "../../src/events/events.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";

type Shape = { readonly type: string; readonly members: Readonly<Record<string, string>> };

/** Returns what the log has that the catalogue doesn't tell: a type, a member, its kind, or a member that is missing. */
export async function faultsOfLog(db: Db): Promise<string[]> {
  const shapes = await db.many<Shape>(sql`
    select distinct type, coalesce(
      (select jsonb_object_agg(key, jsonb_typeof(value)) from jsonb_each(data)), '{}') as members
    from events`);
  return [...new Set(shapes.flatMap(faultsOf))];
}

export function faultsOf({ type, members }: Shape): string[] {
  const known = EVENT_TYPES.find((one) => one === type);
  if (!known) return [`${type} is no type of the catalogue`];
  const { example, required, nullable } = entryOf(known);
  const missing = required.filter((name) => !Object.hasOwn(members, name));
  return [
    ...missing.map((name) => `${type} lacks ${name}`),
    ...Object.entries(members)
      .filter(
        ([name, kind]) => kind !== kindOf(example[name]) && !(kind === "null" && nullable.includes(name)),
      )
      .map(
        ([name, kind]) => `${type} has ${name} as ${kind}, and the catalogue has ${kindOf(example[name])}`,
      ),
  ];
}

/** Names the kind as PostgreSQL does. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === undefined ? "nothing" : typeof value;
}
