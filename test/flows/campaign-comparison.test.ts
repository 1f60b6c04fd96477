/** These tests compare a campaign's rates with those of the ones before it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { SANDBOX_TRANSPORT } from "../../src/delivery/ids.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const DAY_MS = 86_400_000;
const SENT = 1_000;
const SEEN = { opens: true, clicks: true, mode: "individual" };

type Past = {
  readonly daysAgo: number;
  readonly opened?: number;
  readonly clicked?: number;
  readonly bounced?: number;
  readonly left?: number;
  readonly tracking?: Json;
  readonly state?: string;
  readonly isSandbox?: boolean;
};

/** Writes what a campaign of a thousand mails left behind. */
async function past(listId: string, what: Past): Promise<string> {
  const { daysAgo, opened = 400, clicked = 50, bounced = 10, left = 2, tracking = SEEN } = what;
  const { id } = await makeCampaign(app, listId);
  const [account, source] = [uuidOf("acc", app.accountId), uuidOf("cmp", id)];
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const transport = what.isSandbox ? SANDBOX_TRANSPORT : randomUUID();
  await app.db.execute(sql`
    insert into revisions (account_id, id, digest, content, tracking, created_at)
    values (${account}, ${source}, ${Buffer.from(source)}, '{}', ${JSON.stringify(tracking)}::jsonb, ${at})`);
  await app.db.execute(sql`
    insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at, transport_id)
    values (${account}, ${source}, ${source}, 'campaign', ${what.state ?? "finished"}, ${source}, ${uuidOf("lst", listId)},
      'resend', ${at}, ${transport})`);
  for (const [name, count] of [
    ["sent", SENT - bounced],
    ["failed", bounced],
    ["bounce.hard", bounced],
  ] as const)
    await app.db.execute(sql`
      insert into counters (account_id, source_id, worker_id, what, count)
      values (${account}, ${source}, gen_random_uuid(), ${name}, ${count})`);
  await app.db.execute(sql`
    insert into source_unsubscribes (account_id, source_id, contact_id, at)
    select ${account}, ${source}, gen_random_uuid(), ${at} from generate_series(1, ${left}::int)`);
  await app.db.execute(sql`
    insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                 human_clicks, human_clickers, first_at, last_at)
    values (${account}, ${source}, '', ${opened}, ${opened}, ${opened}, ${opened}, ${clicked}, ${clicked}, ${clicked},
            ${clicked}, ${at}, ${at})`);
  return id;
}

const compared = async (id: string): Promise<Json> => {
  const reply = await app.api("GET", `/v1/campaigns/${id}/stats/comparison`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const standings = ({ data }: Json) => data.map((row: Json) => [row["rate"], row["standing"]]);

describe("the comparison of a campaign", () => {
  it("has the rates of its statistics, where they usually lie, and since when one was as high", async () => {
    const listId = await makeList(app);
    for (let n = 0; n < 12; n++) await past(listId, { daysAgo: 20 + n, opened: 400 + n, clicked: 50 + n });
    const high = await past(listId, { daysAgo: 15, opened: 600 });
    const id = await past(listId, { daysAgo: 5, opened: 500, clicked: 20, bounced: 30, left: 2 });
    const comparison = await compared(id);
    const stats = (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
    assert.equal(comparison["basis"], "list");
    assert.equal(comparison["compared_with"].length, 10);
    assert.equal(comparison["compared_with"][0].campaign_id, high);
    assert.deepEqual(standings(comparison), [
      ["open", "higher"],
      ["click", "lower"],
      ["unsubscribe", "usual"],
      ["bounce", "higher"],
    ]);
    for (const row of comparison["data"]) {
      assert.equal(row.value, stats.rates[row.rate], row.rate);
      assert.ok(row.band.from < row.average && row.average < row.band.to && row.lowest <= row.highest);
    }
    const [open, , , bounce] = comparison["data"];
    assert.equal(open.since, comparison["compared_with"][0].launched_at, "the one of 600 was higher");
    assert.equal(bounce.since, null, "none had so many bounces");
  });

  it("is with the account's where the list has too few, and with nothing where there are fewer than three", async () => {
    const { key } = await app.addAccount();
    const other = await app.api("POST", "/v1/lists", { key, body: { name: "Others" } });
    const made = await app.api("POST", "/v1/campaigns", {
      key,
      body: { name: "First", list_id: other.body.id, subject: "x", html: "<p>x</p>" },
    });
    const first = await app.api("GET", `/v1/campaigns/${made.body.id}/stats/comparison`, { key });
    assert.deepEqual([first.body.basis, first.body.data, first.body.compared_with], [null, [], []]);
    const foreign = await app.api("GET", `/v1/campaigns/${made.body.id}/stats/comparison`);
    assert.equal(foreign.status, 404);
    const [one, two] = [await makeList(app), await makeList(app)];
    for (let n = 0; n < 3; n++) await past(one, { daysAgo: 10 + n });
    const id = await past(two, { daysAgo: 5 });
    const comparison = await compared(id);
    assert.equal(comparison["basis"], "account");
    assert.ok(comparison["compared_with"].length >= 3);
  });

  it("says in the first two days only what can't change", async () => {
    const listId = await makeList(app);
    for (let n = 0; n < 5; n++) await past(listId, { daysAgo: 10 + n });
    const id = await past(listId, { daysAgo: 1, opened: 100, clicked: 300, left: 0, bounced: 0 });
    assert.deepEqual(standings(await compared(id)), [
      ["open", "early"],
      ["click", "higher"],
      ["unsubscribe", "early"],
      ["bounce", "lower"],
    ]);
  });

  it("leaves out what wasn't seen of everybody, what failed, and the sandbox", async () => {
    const listId = await makeList(app);
    for (let n = 0; n < 3; n++) await past(listId, { daysAgo: 10 + n });
    for (let n = 0; n < 3; n++)
      await past(listId, { daysAgo: 20 + n, opened: 0, tracking: { ...SEEN, opens: false } });
    await past(listId, { daysAgo: 8, state: "failed", bounced: 900 });
    await past(listId, { daysAgo: 8, isSandbox: true, bounced: 900 });
    const comparison = await compared(await past(listId, { daysAgo: 5 }));
    assert.equal(comparison["compared_with"].length, 6);
    const of = (rate: string) => comparison["data"].find((row: Json) => row["rate"] === rate);
    assert.equal(of("open").lowest, 400 / (SENT - 10), "those without a pixel are left out");
    assert.deepEqual([of("bounce").highest, of("bounce").standing], [0.01, "usual"]);
    const unseen = await compared(
      await past(listId, { daysAgo: 4, tracking: { ...SEEN, mode: "aggregate" } }),
    );
    assert.deepEqual(
      unseen["data"].map((row: Json) => row["rate"]),
      ["unsubscribe", "bounce"],
    );
  });
});
