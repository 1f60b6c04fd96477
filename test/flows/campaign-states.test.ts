/**
 * These tests check every cell of the state table through HTTP, and that `allowed_actions` never promises what is
 * then refused.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import fc from "fast-check";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  act,
  campaignThatIs,
  endSource,
  inAnHour,
  makeAudience,
  makeCampaign,
  readCampaign,
} from "../support/campaigns.ts";
import { eventsSince, type Json, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  // Only the API runs, so that no job and no sender changes anything.
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeAudience(app);
});
after(() => app.stop());

const columns = ["send", "schedule", "unschedule", "pause", "resume", "cancel"] as const;
const table = {
  draft: "sending scheduled 409 409 409 409",
  scheduled: "sending scheduled draft paused 409 draft",
  "scheduled again": "sending scheduled failed paused 409 failed",
  sending: "409 409 409 paused 409 canceled",
  "paused, from scheduled": "sending scheduled draft 409 scheduled 409",
  "paused, from sending": "409 409 409 409 sending canceled",
  failed: "sending scheduled 409 409 409 canceled",
  sent: "409 409 409 409 409 409",
  canceled: "409 409 409 409 409 409",
} as const;

const bodies: Json = { schedule: () => ({ send_at: inAnHour() }) };

for (const [state, row] of Object.entries(table)) {
  describe(`a campaign that is ${state}`, () => {
    for (const [at, expected] of row.split(" ").entries()) {
      const action = columns[at] ?? "";
      it(`${expected === "409" ? "answers 409 to" : `becomes ${expected} by`} ${action}`, async () => {
        const id = await campaignThatIs(app, listId, state);
        const before = await readCampaign(app, id);
        const reply = await act(app, id, action, bodies[action]?.());
        if (expected === "409") {
          assert.deepEqual([reply.status, reply.body.code], [409, "invalid_state"], reply.text);
          assert.equal(reply.body.current_status, before["status"]);
          assert.deepEqual(await readCampaign(app, id), before);
        } else {
          assert.equal(reply.status, action === "send" ? 202 : 200, reply.text);
          assert.equal(reply.body.status, expected);
          assert.deepEqual(await readCampaign(app, id), reply.body);
        }
      });
    }

    it("can be edited and deleted where the table says so", async () => {
      const id = await campaignThatIs(app, listId, state);
      const isOpen = /^(draft|scheduled|paused, from scheduled|failed)/.test(state);
      const patched = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { subject: "Other" } });
      assert.equal(patched.status, isOpen ? 200 : 409, patched.text);
      if (!isOpen) assert.equal(patched.body.code, "campaign_locked");
      const removed = await app.api("DELETE", `/v1/campaigns/${id}`);
      assert.equal(removed.status, state === "draft" ? 204 : 409, removed.text);
    });

    it("can be copied into a draft", async () => {
      const id = await campaignThatIs(app, listId, state);
      const copy = await act(app, id, "duplicate");
      assert.deepEqual([copy.status, copy.body.status], [201, "draft"], copy.text);
      assert.equal(copy.body.name, "News (copy)");
      assert.notEqual(copy.body.id, id);
    });
  });
}

/** Failed campaigns that are sent again, by how far the first try came and what was changed since. */
const relaunches = {
  "to the same list": { patch: {}, hasLeft: false, expected: "202 goes on" },
  "to another list": { patch: { list_id: "another" }, hasLeft: false, expected: "202 starts empty" },
  "to another segment": { patch: { segment_id: "some" }, hasLeft: false, expected: "202 starts empty" },
  "with another text": { patch: { subject: "Other" }, hasLeft: false, expected: "202 starts empty" },
  "after mail has left": { patch: {}, hasLeft: true, expected: "202 goes on" },
} as const;

for (const [name, { patch, hasLeft, expected }] of Object.entries(relaunches)) {
  it(`a failed campaign sent again ${name} is answered ${expected}`, async () => {
    const elsewhere = await makeAudience(app);
    const rules = { all: [{ field: "first_name", op: "is", value: "Ada" }] };
    const segment = await app.api("POST", "/v1/segments", { body: { name: `s ${name}`, rules } });
    const ids: Json = { another: elsewhere, some: segment.body.id, Other: "Other" };
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await plan(id);
    if (hasLeft) await countOne(id, "sent");
    await endSource(app, id, { kind: "failed", reason: "test" });
    assert.equal((await numbersOf(id))["recipients"], 1);
    for (const [key, value] of Object.entries(patch)) {
      const patched = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { [key]: ids[value] } });
      assert.equal(patched.status, 200, patched.text);
    }
    // The name that it has: another one would be other content.
    const locked = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { name: "News" } });
    assert.equal(locked.status, hasLeft ? 409 : 200, locked.text);
    const again = await act(app, id, "send");
    const { recipients, sent, queued } = await numbersOf(id);
    assert.equal(`${again.status} ${recipients === 0 ? "starts empty" : "goes on"}`, expected, again.text);
    assert.equal(recipients, sent + queued);
  });
}

it("mail that arrives after its campaign failed and was edited fixes the audience: the second try is 409", async () => {
  const { id } = await makeCampaign(app, listId);
  await act(app, id, "send");
  await plan(id);
  await endSource(app, id, { kind: "failed", reason: "test" });
  await app.api("PATCH", `/v1/campaigns/${id}`, { body: { list_id: await makeAudience(app) } });
  await countOne(id, "sent");
  const again = await act(app, id, "send");
  assert.deepEqual(
    [again.status, again.body.code, again.body.current_status],
    [409, "campaign_locked", "failed"],
  );
  assert.equal((await readCampaign(app, id))["status"], "failed");
});

const numbersOf = async (id: string): Promise<Json> =>
  (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;

async function plan(id: string): Promise<void> {
  const log = createLog({ level: "silent", pretty: false });
  await planSlice(
    { db: app.db, clock: systemClock, log, owner: campaignOwner },
    uuidOf("acc", app.accountId),
    uuidOf("cmp", id),
  );
}

/** Writes what a sender would write whose message was under way until now. */
async function countOne(id: string, what: string): Promise<void> {
  await app.db.execute(sql`
    insert into counters (account_id, source_id, worker_id, what, count)
    values (${uuidOf("acc", app.accountId)}, ${uuidOf("cmp", id)}, gen_random_uuid(), ${what}, 1)`);
}

test("20 sends at once give one 202 and 19 409", async () => {
  const { id } = await makeCampaign(app, listId);
  const replies = await Promise.all(Array.from({ length: 20 }, () => act(app, id, "send")));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [202, ...Array(19).fill(409)]);
  for (const { status, body } of replies) {
    if (status === 409) assert.deepEqual([body.code, body.current_status], ["invalid_state", "sending"]);
  }
});

test("of a pause and a cancel at once, each wins or is told what the other made of it", async () => {
  for (let round = 0; round < 5; round++) {
    const id = await campaignThatIs(app, listId, "sending");
    const [paused, canceled] = await Promise.all([act(app, id, "pause"), act(app, id, "cancel")]);
    // A cancel is also allowed after the pause.
    const { status } = await readCampaign(app, id);
    if (canceled.status === 200) assert.equal(status, "canceled");
    else assert.deepEqual([canceled.body.current_status, status], ["paused", "paused"]);
    if (paused.status !== 200) assert.equal(paused.body.current_status, "canceled");
  }
});

test("a send under an idempotency key is repeated, not done twice", async () => {
  const { id } = await makeCampaign(app, listId);
  const headers = { "idempotency-key": `send ${id}` };
  const first = await app.api("POST", `/v1/campaigns/${id}/send`, { headers });
  const again = await app.api("POST", `/v1/campaigns/${id}/send`, { headers });
  assert.deepEqual([first.status, again.status], [202, 202], again.text);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.deepEqual(again.body, first.body);
});

test("undo_seconds makes it wait, and cancel takes it back", async () => {
  const { id } = await makeCampaign(app, listId);
  const sent = await act(app, id, "send", { undo_seconds: 30 });
  const late = await app.api("PATCH", `/v1/campaigns/${id}`, { body: { subject: "Half typed" } });
  assert.deepEqual(
    [late.status, late.body.code, late.body.current_status],
    [409, "campaign_locked", "scheduled"],
  );
  assert.ok(!sent.body.allowed_actions.includes("update"));
  assert.deepEqual([sent.status, sent.body.status], [202, "scheduled"]);
  const waitMs = Date.parse(sent.body.send_at) - Date.now();
  assert.ok(waitMs > 0 && waitMs <= 30_000, sent.body.send_at);
  const canceled = await act(app, id, "cancel");
  assert.deepEqual([canceled.status, canceled.body.status, canceled.body.send_at], [200, "draft", null]);
  for (const undo_seconds of [0, -1, 601, "30"]) {
    assert.equal((await act(app, id, "send", { undo_seconds })).status, 422);
  }
});

test("each move is told by an event, in order", async () => {
  const { cursor } = await eventsSince(app);
  const { id } = await makeCampaign(app, listId);
  await app.api("PATCH", `/v1/campaigns/${id}`, { body: { name: "Newer" } });
  await act(app, id, "schedule", { send_at: inAnHour() });
  await act(app, id, "unschedule");
  await act(app, id, "send");
  await act(app, id, "pause");
  await act(app, id, "resume");
  await endSource(app, id, { kind: "paused", reason: "transport_rejected" });
  const paused = await readCampaign(app, id);
  assert.deepEqual([paused["status"], paused["pause_reason"]], ["paused", "transport_rejected"]);
  await act(app, id, "resume");
  await endSource(app, id, { kind: "no_recipients" });
  const failed = await readCampaign(app, id);
  assert.deepEqual([failed["status"], failed["status_reason"]], ["failed", "no_recipients"]);
  await act(app, id, "cancel");
  const { events } = await eventsSince(app, cursor);
  assert.deepEqual(
    events.map(({ type }) => type.replace("campaign.", "")),
    "created updated scheduled unscheduled sending paused resumed paused resumed failed canceled".split(" "),
  );
  for (const { data } of events) assert.equal(data.campaign_id, id);
  assert.deepEqual(events[1]?.["data"].changed, ["name"]);
});

test("allowed_actions always agrees with what the endpoints then do", async () => {
  const steps = [...columns, "update", "duplicate", "delete", "done", "no_recipients", "guardrail"] as const;
  const walk = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(walk, async (path) => {
      const { id } = await makeCampaign(app, listId);
      for (const step of path) {
        const { allowed_actions: allowed } = await readCampaign(app, id);
        if (step === "done" || step === "no_recipients") await endSource(app, id, { kind: step });
        else if (step === "guardrail") await endSource(app, id, { kind: "paused", reason: "guardrail" });
        else {
          const { status, text } = await perform(id, step);
          assert.ok(status < 300 || status === 409, text);
          assert.equal(status < 300, allowed.includes(step), `${step} gave ${status}; allowed: ${allowed}`);
          if (step === "delete" && status === 204) return;
        }
      }
    }),
    { numRuns: 40 },
  );
});

function perform(id: string, step: string) {
  if (step === "update") return app.api("PATCH", `/v1/campaigns/${id}`, { body: { name: "Again" } });
  if (step === "delete") return app.api("DELETE", `/v1/campaigns/${id}`);
  return act(app, id, step, bodies[step]?.());
}
