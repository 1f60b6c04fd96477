import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { makeSegment, tagRecipientsJob } from "./segment.ts";
import { findRecipientSegment } from "./segment-store.ts";

const PEOPLE = 2_300;
let bench: Bench;
let campaign: { id: string; list_id: string };
before(async () => {
  bench = await createBench();
  await bench.addSubscribers(Array.from({ length: PEOPLE }, (_, n) => `p${n}@example.com`));
  campaign = { id: await bench.launch(), list_id: bench.listId };
  await bench.db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    select account_id, ${campaign.id}, contact_id, id, 'campaign', ${campaign.id}, 'sent', 1, now()
    from subscribers where list_id = ${bench.listId}`);
});
after(() => bench.stop());

const make = (name: string) =>
  bench.ctx((ctx) => makeSegment(ctx, campaign, name, { type: "sent", includeMachines: false }));
const progressOf = (segmentId: string) => findRecipientSegment(bench.db, bench.accountId, segmentId);

function run(segmentId: string, signal: AbortSignal): Promise<void> {
  const { db, clock, log, accountId } = bench;
  const payload = { account_id: accountId, segment_id: segmentId };
  return tagRecipientsJob.run({ db, clock, log, signal, attempt: 1 }, payload);
}

describe("the making of a segment", () => {
  it("that is stopped goes on where it was, and tags and tells of each once", async () => {
    const { segment_id: id, tag_id: tagId } = await make("Everybody");
    await assert.rejects(run(id, AbortSignal.abort()));
    const halfway = await progressOf(id);
    assert.deepEqual([halfway?.processed, halfway?.tagged, halfway?.completed_at], [1_000, 1_000, null]);
    for (let turn = 0; turn < 2; turn++) await run(id, new AbortController().signal);
    const done = await progressOf(id);
    assert.deepEqual([done?.processed, done?.tagged], [PEOPLE, PEOPLE]);
    assert.ok(done?.completed_at);
    const { tagged, told } = await bench.db.one<{ tagged: number; told: number }>(sql`
      select (select count(*) from subscriber_tags where tag_id = ${tagId})::int as tagged,
             (select count(distinct data ->> 'subscriber_id') from events
              where account_id = ${bench.accountId} and type = 'subscriber.tag_added')::int as told`);
    assert.deepEqual([tagged, told], [PEOPLE, PEOPLE]);
  });

  it("by two at once tags each once", async () => {
    const { segment_id: id } = await make("Both at once");
    const { signal } = new AbortController();
    await Promise.all([run(id, signal), run(id, signal)]);
    const done = await progressOf(id);
    assert.deepEqual([done?.processed, done?.tagged], [PEOPLE, PEOPLE]);
  });

  it("ends when the segment is deleted", async () => {
    const { segment_id: id } = await make("Deleted");
    await assert.rejects(run(id, AbortSignal.abort()));
    await bench.db.execute(sql`delete from segments where id = ${id}`);
    await run(id, new AbortController().signal);
    const done = await progressOf(id);
    assert.deepEqual([done?.processed, done?.completed_at instanceof Date], [1_000, true]);
  });
});
