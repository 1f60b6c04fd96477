import type { Actor } from "../platform/context.ts";
import { type Queryable, type Sql, sql } from "../platform/db/db.ts";
import { fromPublicId } from "../platform/ids.ts";

type Named = { readonly kind: string; readonly id: string | null };

/** Finds what people and keys are called now, by their public ids, in one statement. Those without a name are left out. */
export function readActorNames(
  db: Queryable,
  accountId: string,
  actors: readonly Named[],
): Promise<ReadonlyMap<string, string>> {
  return readNames(db, accountId, actors, sql`users.name`);
}

/** Does the same for those who may see the account's people: whoever has no name goes by their address. */
export function readActorNamesOrAddresses(
  db: Queryable,
  accountId: string,
  actors: readonly Named[],
): Promise<ReadonlyMap<string, string>> {
  return readNames(db, accountId, actors, sql`coalesce(nullif(users.name, ''), people.email)`);
}

async function readNames(
  db: Queryable,
  accountId: string,
  actors: readonly Named[],
  name: Sql,
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (kind: Actor["kind"], prefix: "usr" | "key") =>
    actors.flatMap((actor) => {
      const id = actor.kind === kind && actor.id ? fromPublicId(prefix, actor.id) : undefined;
      return id && actor.id ? [[id, actor.id] as const] : [];
    });
  const users = new Map(idsOf("user", "usr"));
  const keys = new Map(idsOf("api_key", "key"));
  if (users.size + keys.size === 0) return new Map();
  const rows = await db.many<{ id: string; name: string }>(sql`
    select users.id, ${name} as name from users join people on people.id = person_id
    where account_id = ${accountId} and users.id = any(${[...users.keys()]}::uuid[]) and ${name} <> ''
    union all
    select id, name from api_keys where account_id = ${accountId} and id = any(${[...keys.keys()]}::uuid[])`);
  return new Map(rows.map(({ id, name }) => [users.get(id) ?? keys.get(id) ?? id, name]));
}
