import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { systemClock } from "../../platform/clock.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { listByEvent } from "./by-event.ts";

const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
const CONTACTS = [1, 2, 3, 4, 5].map(idOf);
const FILTER = { type: "unsubscribed", includeMachines: false } as const;

let bench: Bench;
let campaignId: string;
before(async () => {
  bench = await createBench();
  campaignId = await bench.launch();
});
after(() => bench.stop());

const leave = (sourceId: string, contactId: string, at: string) =>
  bench.db.execute(sql`
    insert into source_unsubscribes (account_id, source_id, contact_id, at)
    values (${bench.accountId}, ${sourceId}, ${contactId}, ${at})`);
const addRow = (sourceId: string, contactId: string, attempt: number) =>
  bench.db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    values (${bench.accountId}, ${sourceId}, ${contactId}, ${contactId}, 'campaign', ${sourceId}, 'sent', ${attempt}, now())`);
const list = (limit: number, after?: string) =>
  listByEvent(bench.db, bench.accountId, campaignId, FILTER, { limit, after });

describe("recipients by event", () => {
  it("come in full pages, though some have no row in the ledger any more", async () => {
    for (const contactId of CONTACTS) await leave(campaignId, contactId, "2026-11-01T10:00:00Z");
    for (const contactId of CONTACTS.slice(3)) await addRow(campaignId, contactId, 1);
    const first = await list(4);
    assert.deepEqual(
      first.map(({ contactId, row }) => [contactId, row?.contactId ?? null]),
      [
        [CONTACTS[0], null],
        [CONTACTS[1], null],
        [CONTACTS[2], null],
        [CONTACTS[3], CONTACTS[3]],
      ],
    );
    const rest = await list(4, first.at(-1)?.contactId);
    assert.deepEqual(
      rest.map(({ contactId, row }) => [contactId, row?.status]),
      [[CONTACTS[4], "sent"]],
    );
  });

  it("come once, though it happened in two sources, with the row of the last", async () => {
    const secondId = newId(systemClock);
    await bench.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at)
      select account_id, ${secondId}, owner_id, stream, 'finished', revision_id, list_id, on_ambiguous, launched_at
      from sources where account_id = ${bench.accountId} and id = ${campaignId}`);
    await leave(secondId, CONTACTS[4] as string, "2026-11-02T10:00:00Z");
    await addRow(secondId, CONTACTS[4] as string, 2);
    const all = await list(10);
    assert.deepEqual(
      all.map(({ contactId }) => contactId),
      CONTACTS,
    );
    const { row, event } = all.at(-1) ?? {};
    assert.deepEqual([row?.attempts, event?.times, event?.at], [2, 2, new Date("2026-11-01T10:00:00Z")]);
  });
});
