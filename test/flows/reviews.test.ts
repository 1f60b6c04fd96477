/** The first campaign to many of a new account waits for an operator before any mail of it leaves. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createInstanceKey, holdAccount } from "../../src/accounts/accounts.ts";
import { approveCampaign, refuseCampaign } from "../../src/campaigns/campaigns.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx, type TxCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { createBench, people } from "../support/delivery.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { eventsSince, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("the first campaign to many of a new account", () => {
  let app: TestApp;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  before(async () => {
    relay = await startRelay({ hideSTARTTLS: true, authOptional: true });
    app = await createApp({
      settings: { SMTP_URL: `smtp://127.0.0.1:${relay.port}`, PUBLIC_URL: "https://mail.example.com" },
    });
  });
  after(async () => {
    await app.stop();
    await relay.close();
  });

  /** Returns the app as another account sees it. */
  async function addAccount(): Promise<TestApp & { uuid: string }> {
    const { accountId, key } = await app.addAccount({ isNew: true });
    const api: TestApp["api"] = (method, path, options) => app.api(method, path, { key, ...options });
    return { ...app, uuid: accountId, key, api };
  }
  let lists = 0;
  async function makeAudience(theirs: TestApp, count: number): Promise<string> {
    const name = `r${++lists}`;
    const listId = await makeList(theirs, { from_email: "news@acme.example", postal_address: "1 Road" });
    const subscribers = people(count, `${name}.example`).map((email) => ({ email, list_id: listId }));
    const added = await theirs.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    assert.ok(added.status < 300, added.text);
    return listId;
  }
  async function send(theirs: TestApp, count: number): Promise<string> {
    const { id } = await makeCampaign(theirs, await makeAudience(theirs, count));
    const sent = await act(theirs, id as string, "send");
    assert.equal(sent.status, 202, sent.text);
    return id as string;
  }
  const log = createLog({ level: "silent", pretty: false });
  const asOperator = <T>(theirs: { uuid: string }, work: (ctx: TxCtx) => Promise<T>) =>
    app.db.transaction((tx) => work(systemCtx({ clock: systemClock, log }, tx, theirs.uuid)));
  const approve = (theirs: { uuid: string }, id: string) =>
    asOperator(theirs, (ctx) => approveCampaign(ctx, uuidOf("cmp", id)));
  const refuse = (theirs: { uuid: string }, id: string, words: string) =>
    asOperator(theirs, (ctx) => refuseCampaign(ctx, uuidOf("cmp", id), words));
  const untilIs = (theirs: TestApp, id: string, status: string) =>
    until(async () => (await readCampaign(theirs, id))["status"] === status);
  const arrived = (n = lists) =>
    relay.received.filter(({ to }) => to.some((one) => one.endsWith(`@r${n}.example`))).length;
  const reviewsOf = async (id: string) =>
    (
      await app.db.many<{ state: string }>(
        sql`select state from source_reviews where owner_id = ${uuidOf("cmp", id)} order by created_at, id`,
      )
    ).map(({ state }) => state);

  it("to a hundred leaves by itself, and so does that of the first account to any number", async () => {
    const theirs = await addAccount();
    const small = await send(theirs, 100);
    await untilIs(theirs, small, "sent");
    assert.equal(arrived(), 100);
    const own = await send(app, 150);
    await untilIs(app, own, "sent");
    assert.equal(arrived(), 150);
  });

  it("counts with those of the same day, also where several are planned at once", async () => {
    const theirs = await addAccount();
    const first = await send(theirs, 60);
    await untilIs(theirs, first, "sent");
    const second = await send(theirs, 41);
    await untilIs(theirs, second, "paused");
    assert.equal((await readCampaign(theirs, second))["pause_reason"], "review");
    assert.equal(arrived(), 0);
    const others = await addAccount();
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await makeCampaign(others, await makeAudience(others, 40))).id as string),
    );
    const sent = await Promise.all(ids.map((id) => act(others, id, "send")));
    assert.ok(sent.every(({ status }) => status === 202));
    const statuses = async () =>
      (await Promise.all(ids.map((id) => readCampaign(others, id)))).map((one) => one["status"]).sort();
    await until(async () => (await statuses()).every((one) => one === "sent" || one === "paused"));
    assert.deepEqual(await statuses(), ["paused", "sent", "sent"]);
    // A day later the small ones count no more.
    await app.db.execute(
      sql`update sources set launched_at = launched_at - interval '25 hours' where account_id = ${others.uuid}`,
    );
    await untilIs(others, await send(others, 90), "sent");
  });

  it("is paused before any mail leaves, and goes on by itself once it is approved; the next one leaves at once", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 101);
    await untilIs(theirs, id, "paused");
    const paused = await readCampaign(theirs, id);
    assert.deepEqual([paused["pause_reason"], paused["paused_from"]], ["review", "sending"]);
    assert.deepEqual(paused["allowed_actions"], ["cancel", "duplicate"]);
    const refused = await act(theirs, id, "resume");
    assert.deepEqual([refused.status, refused.body.code], [409, "campaign_in_review"], refused.text);
    const sentNow = await act(theirs, id, "resume", { if_elapsed: "send_now" });
    assert.equal(sentNow.body.code, "campaign_in_review");
    const edited = await theirs.api("PATCH", `/v1/campaigns/${id}`, { body: { subject: "Other" } });
    assert.equal(edited.status, 409, edited.text);
    await sleep(700);
    assert.equal(arrived(), 0);
    const reviewed = lists;
    assert.equal(await approve(theirs, id), true);
    await untilIs(theirs, id, "sent");
    assert.equal(arrived(reviewed), 101);
    assert.equal(await approve(theirs, id), false, "it waits no more");
    // 99 are left of the first day.
    const next = await send(theirs, 120);
    await until(async () => arrived() > 0);
    assert.deepEqual(await reviewsOf(next), []);
  });

  it("fails where it is refused, with the operator's words; changed and sent again, it is looked at again", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 130);
    await untilIs(theirs, id, "paused");
    assert.equal(await refuse(theirs, id, "Where are these addresses from?"), true);
    const failed = await readCampaign(theirs, id);
    assert.deepEqual(
      [failed["status"], failed["status_reason"], failed["pause_reason"]],
      ["failed", "Refused in review: Where are these addresses from?", null],
    );
    await settled(app);
    const { events } = await eventsSince(theirs);
    const told = events.find(({ type }) => type === "campaign.failed");
    assert.deepEqual(
      [told?.data["reason"], told?.data["detail"]],
      ["review_refused", "Where are these addresses from?"],
    );
    const edited = await theirs.api("PATCH", `/v1/campaigns/${id}`, {
      body: { subject: "You asked for it" },
    });
    assert.equal(edited.status, 200, edited.text);
    assert.equal((await act(theirs, id, "send")).status, 202);
    await untilIs(theirs, id, "paused");
    assert.equal((await readCampaign(theirs, id))["pause_reason"], "review");
    assert.deepEqual(await reviewsOf(id), ["refused", "pending"]);
    await sleep(300);
    assert.equal(arrived(), 0);
    assert.equal(await approve(theirs, id), true);
    await untilIs(theirs, id, "sent");
    assert.equal(arrived(), 130);
    assert.ok(relay.received.some(({ body }) => body.includes("You asked for it")));
  });

  it("sent again as it was after a refusal, is looked at again, too", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 110);
    await untilIs(theirs, id, "paused");
    await refuse(theirs, id, "No.");
    assert.equal((await act(theirs, id, "send")).status, 202);
    await untilIs(theirs, id, "paused");
    assert.deepEqual(await reviewsOf(id), ["refused", "pending"]);
    assert.equal(arrived(), 0);
  });

  it("can't be resumed by whoever paused it by hand meanwhile, and doesn't say so", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 110);
    await untilIs(theirs, id, "paused");
    await app.db.execute(
      sql`update campaigns set pause_reason = 'requested' where id = ${uuidOf("cmp", id)}`,
    );
    assert.deepEqual((await readCampaign(theirs, id))["allowed_actions"], ["cancel", "duplicate"]);
    const listed = await theirs.api("GET", "/v1/campaigns");
    assert.deepEqual(listed.body.data[0].allowed_actions, ["cancel", "duplicate"]);
    assert.equal((await act(theirs, id, "resume")).body.code, "campaign_in_review");
    assert.equal(await approve(theirs, id), true);
    assert.ok(((await readCampaign(theirs, id))["allowed_actions"] as string[]).includes("resume"));
  });

  it("is withdrawn when it is canceled", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 110);
    await untilIs(theirs, id, "paused");
    assert.equal((await act(theirs, id, "cancel")).status, 200);
    assert.deepEqual(await reviewsOf(id), ["withdrawn"]);
    assert.equal(await approve(theirs, id), false);
    assert.equal(await refuse(theirs, id, "Too late."), false);
    assert.equal((await readCampaign(theirs, id))["status"], "canceled");
    assert.equal(arrived(), 0);
    const again = await send(theirs, 110);
    await untilIs(theirs, again, "paused");
    assert.equal((await readCampaign(theirs, again))["pause_reason"], "review");
  });

  it("two operators who decide at once are one, and the other finds nothing that waits", async () => {
    const theirs = await addAccount();
    const id = await send(theirs, 110);
    await untilIs(theirs, id, "paused");
    const decided = await Promise.all([approve(theirs, id), approve(theirs, id), refuse(theirs, id, "No.")]);
    assert.equal(decided.filter(Boolean).length, 1);
  });
});

describe("what operators are shown of reviews", () => {
  it("is what waits, with the account and the campaign; they approve or refuse it once", async () => {
    const relay = await startRelay({ hideSTARTTLS: true, authOptional: true });
    const app = await createApp({
      settings: { SMTP_URL: `smtp://127.0.0.1:${relay.port}`, PUBLIC_URL: "https://mail.example.com" },
    });
    try {
      const key = await app.db.transaction((tx) =>
        createInstanceKey({ sql: tx, clock: systemClock }, "Operator"),
      );
      const ask = (path = "") => app.api("GET", `/v1/instance/reviews${path}`, { key });
      const decide = (id: string, verb: string, body?: Json) =>
        app.api("POST", `/v1/instance/reviews/${id}/${verb}`, { key, ...(body && { body }) });
      const { accountId, key: own } = await app.addAccount({ isNew: true });
      const theirs: TestApp = {
        ...app,
        key: own,
        api: (method, path, options) => app.api(method, path, { key: own, ...options }),
      };
      const listId = await makeList(theirs, { from_email: "news@acme.example", postal_address: "1 Road" });
      const subscribers = people(120).map((email) => ({ email, list_id: listId }));
      await theirs.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
      const [first, second] = [await makeCampaign(theirs, listId), await makeCampaign(theirs, listId)];
      for (const { id } of [first, second])
        assert.equal((await act(theirs, id as string, "send")).status, 202);
      await until(async () => (await ask("?include_total=true")).body.total === 2);
      const { body } = await ask();
      const found = body.data.find(({ campaign_id }: Json) => campaign_id === first["id"]);
      assert.deepEqual(
        [found.state, found.account_id, found.account_name, found.subject, found.recipients, found.reason],
        ["pending", toPublicId("acc", accountId), "Another", "News", 120, null],
      );
      assert.deepEqual([found.from_name, found.from_email], ["Another", "news@acme.example"]);
      const other = body.data.find(({ campaign_id }: Json) => campaign_id === second["id"]);
      assert.equal((await ask(`/${found.id}`)).body.id, found.id);
      assert.equal((await decide(found.id, "refuse", {})).status, 422);
      assert.equal((await decide(found.id, "refuse", { reason: " " })).status, 422);
      const refused = await decide(found.id, "refuse", { reason: "Whose are they?" });
      assert.deepEqual(
        [refused.status, refused.body.state, refused.body.reason],
        [200, "refused", "Whose are they?"],
      );
      for (const verb of ["approve", "refuse"]) {
        const again = await decide(found.id, verb, verb === "refuse" ? { reason: "No." } : undefined);
        assert.deepEqual(
          [again.status, again.body.code, again.body.current_status],
          [409, "review_decided", "refused"],
        );
      }
      assert.equal((await decide(other.id, "approve")).body.state, "approved");
      await until(async () => (await readCampaign(theirs, String(second["id"])))["status"] === "sent");
      assert.equal((await ask("?state=approved")).body.data.length, 1);
      assert.deepEqual((await ask()).body.data, []);
      const logged = await app.db.many<{ action: string; target_id: string }>(sql`
        select action, target_id from audit_log where account_id = ${accountId} and action like 'review.%' order by created_at, id`);
      assert.deepEqual(
        logged.map(({ action }) => action),
        ["review.refused", "review.approved"],
      );
      assert.equal((await theirs.api("GET", "/v1/instance/reviews")).status, 404);
      assert.equal((await ask("/rev_01k9zq4t3xe8k8y0v6d3m2n1pq")).status, 404);
      const held = await app.db.transaction((tx) =>
        holdAccount({ sql: tx, accountId, clock: systemClock }, "standing", "10 of 100 bounced"),
      );
      assert.equal(held, true);
      const path = `/v1/instance/accounts/${toPublicId("acc", accountId)}`;
      assert.equal((await app.api("GET", path, { key })).body.state, "standing");
      const released = await app.api("POST", `${path}/release`, { key, body: { reason: "They cleaned it" } });
      assert.deepEqual([released.status, released.body.state], [200, "active"], released.text);
    } finally {
      await app.stop();
      await relay.close();
    }
  });
});

describe("between a launch and the end of its planning", () => {
  it("no sender sees a campaign that may need a look, whatever dies meanwhile", async () => {
    const relay = await startRelay({ hideSTARTTLS: true, authOptional: true });
    const bench = await createBench({ hasRelay: true });
    try {
      const accountId = await bench.addAccount({ isNew: true });
      const listId = await bench.addList(accountId);
      await bench.addSubscribers(people(700), listId, accountId);
      await bench.startSender(undefined, { relay: { host: "127.0.0.1", port: relay.port } });
      const id = await bench.launch({ audience: { listId, segmentId: null } }, accountId);
      await sleep(1_200);
      assert.deepEqual(
        await bench.db.many(sql`select from runnable`),
        [],
        "nobody has planned it, and nobody may send it",
      );
      await bench.startJobs();
      await until(() => bench.ended.has(id));
      assert.deepEqual(bench.ended.get(id), { kind: "paused", reason: "review" });
      await until(async () => (await bench.counts(id, accountId)).recipients === 700);
      await sleep(700);
      assert.equal(relay.received.length, 0);
    } finally {
      await bench.stop();
      await relay.close();
    }
  });
});
