/** Makes an automation live as publishing and starting one leave it, for benches that need neither mails nor the API. */
import { readGraph } from "../../src/automations/graph/graph.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { allFields } from "../../src/subscribers/subscribers.ts";

/** It begins with the first of its steps. */
export async function makeLive(
  db: Db,
  { accountId, listId }: { readonly accountId: string; readonly listId: string },
  nodes: object,
): Promise<string> {
  const id = newId(systemClock);
  const draft = { format: 1, start: Object.keys(nodes)[0], entry: { on: [{ type: "list_joined" }] }, nodes };
  const { faults } = readGraph(draft, await allFields(db, accountId), "");
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const text = JSON.stringify(draft);
  await db.execute(sql`
    insert into automations (account_id, id, name, list_id, draft, state, version, created_at, updated_at, state_changed_at)
    values (${accountId}, ${id}, 'Bench', ${listId}, ${text}::json, 'live', 1, now(), now(), now())`);
  await db.execute(sql`
    insert into automation_versions (account_id, automation_id, number, graph, published_at)
    values (${accountId}, ${id}, 1, ${text}::json, now())`);
  return id;
}
