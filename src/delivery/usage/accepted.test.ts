import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { addUsage } from "../../../test/support/usage.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { readAccepted, readUsageIn } from "./accepted.ts";

const SPAN = { from: new Date("2026-10-01T05:00:00Z"), to: new Date("2026-11-01T05:00:00Z") };

describe("what was accepted in a span", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench({ writesLedger: true });
  });
  after(() => bench.stop());

  /** Writes a source with mails that were sent at these times, as senders would have left it. */
  async function write(
    accountId: string,
    sentAt: readonly string[],
    more: { stream?: string; ownerId?: string; transportId?: string; endedAt?: string } = {},
  ): Promise<string> {
    const { stream = "campaign", transportId = INSTANCE_TRANSPORT, endedAt = null } = more;
    const id = newId({ ...bench.clock, now: () => new Date("2026-09-20T00:00:00Z") });
    await bench.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, revision_id, state, on_ambiguous, launched_at, ended_at)
      values (${accountId}, ${id}, ${more.ownerId ?? id}, ${stream}, ${transportId}, ${id}, 'finished', 'resend', '2026-09-20', ${endedAt})`);
    await bench.db.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, attempt, changed_at)
      select ${accountId}, ${id}, gen_random_uuid(), ${stream}, ${transportId}, 'sent', 1, at::timestamptz
      from unnest(${[...sentAt]}::text[]) as sent (at)`);
    for (const at of sentAt)
      await addUsage(
        bench.db,
        accountId,
        { [at]: 1 },
        { stream, via: transportId === SANDBOX_TRANSPORT ? "sandbox" : "instance" },
      );
    return more.ownerId ?? id;
  }
  const inside = "2026-10-10T10:00:00Z";

  test("is counted by owner, to the millisecond at both edges, and without the sandbox", async () => {
    const accountId = await bench.addAccount();
    const campaign = await write(accountId, [
      ...["2026-10-01T04:59:59.999Z", "2026-10-01T05:00:00Z"],
      ...["2026-11-01T04:59:59.999Z", "2026-11-01T05:00:00Z"],
    ]);
    const ownerId = newId(bench.clock);
    for (let n = 0; n < 3; n++) await write(accountId, [inside, inside], { stream: "automation", ownerId });
    await write(accountId, [inside], { stream: "transactional" });
    await write(accountId, [inside], { stream: "transactional", endedAt: inside });
    await write(accountId, [inside], { transportId: SANDBOX_TRANSPORT });
    await write(accountId, ["2026-09-30T10:00:00Z"], { endedAt: "2026-09-30T11:00:00Z" });
    const rows = await readAccepted(bench.db, [{ accountId, ...SPAN }]);
    assert.deepEqual(
      rows.map(({ at, stream, ownerId: owner, isInLedger, sent }) => [at, stream, owner, isInLedger, sent]),
      [
        [0, "automation", ownerId, true, 6],
        [0, "campaign", campaign, true, 2],
        [0, "transactional", null, true, 2],
      ],
    );
  });

  test("is of the account and the span that was asked for, and says what isn't in the ledger", async () => {
    const [one, other, idle] = [await bench.addAccount(), await bench.addAccount(), await bench.addAccount()];
    const campaign = await write(one, [inside, inside]);
    await write(other, [inside]);
    await addUsage(bench.db, one, { [inside]: 40 });
    const later = { from: SPAN.to, to: new Date("2026-12-01T05:00:00Z") };
    const spans = [
      { accountId: idle, ...SPAN },
      { accountId: one, ...SPAN },
      { accountId: one, ...later },
    ];
    assert.deepEqual(await readAccepted(bench.db, spans), [
      { at: 1, stream: "campaign", ownerId: campaign, isInLedger: true, sent: 2 },
      { at: 1, stream: "campaign", ownerId: null, isInLedger: false, sent: 40 },
    ]);
    assert.deepEqual(await readUsageIn(bench.db, spans), [
      { at: 1, stream: "campaign", ownerId: null, isInLedger: false, sent: 42 },
    ]);
    assert.deepEqual(await readAccepted(bench.db, []), []);
  });
});
