/** People are put into an automation by hand: some, a segment or everybody, in pieces, once each, and as the entry allows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { enrollPiece } from "../../src/automations/enrolling/enroll-people.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, RUN_TOOLS, runsOf } from "../support/automations.ts";
import { addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const NODES = { wait: { type: "wait", for: "P3D", next: "end" }, end: { type: "end" } };

async function start(listId: string, entry: object = { on: [{ type: "manual" }] }): Promise<string> {
  const draft = { format: 1, start: "wait", entry, nodes: NODES };
  const made = await app.api("POST", "/v1/automations", {
    body: { name: "By hand", list_id: listId, draft },
  });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/automations/${made.body.id}`;
  const started = await app.api("POST", `${path}/start`);
  assert.equal(started.status, 200, started.text);
  return path;
}

const idOf = (path: string) => uuidOf("aut", path.split("/")[3] ?? "");

async function fill(listId: string, count: number, prefix = "person"): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++)
    ids.push(String((await addSubscriber(app, listId, `${prefix}-${at}@example.com`))["id"]));
  return ids;
}

const enroll = (path: string, body: object) => app.api("POST", `${path}/enrollments`, { body });

async function finished(path: string, { id }: Json): Promise<Json> {
  let found: Json = {};
  await until(async () => {
    found = (await app.api("GET", `${path}/enrollments/${id}`)).body;
    return found["finished_at"] !== null;
  });
  return found;
}

const counts = ({ status, total, processed, entered, skipped }: Json) => ({
  status,
  total,
  processed,
  entered,
  skipped,
});

describe("an enrollment", () => {
  it("lets in those who are named, and says why others didn't enter", async () => {
    const listId = await makeList(app);
    const people = await fill(listId, 5);
    const filter = { field: "email", op: "is_not", value: "person-1@example.com" };
    const path = await start(listId, { on: [{ type: "manual" }], filter, reentry: { mode: "once" } });
    await app.api("POST", `/v1/subscribers/${people[0]}/unsubscribe`);
    const first = await enroll(path, { subscriber_ids: [people[2]] });
    assert.equal(first.status, 202, first.text);
    assert.equal(first.headers.get("location")?.endsWith(`/enrollments/${first.body.id}`), true);
    await finished(path, first.body);
    const [run] = await runsOf(app, idOf(path));
    const third = await enroll(path, { subscriber_ids: [people[3]] });
    await finished(path, third.body);
    const other = (await runsOf(app, idOf(path))).find(({ id }) => id !== run?.id);
    const ended = await app.api("GET", `${path}/runs?subscriber_id=${people[3]}`);
    assert.equal((await app.api("POST", `/v1/automation_runs/${ended.body.data[0].id}/exit`)).status, 200);
    assert.ok(other);
    const all = await enroll(path, { subscriber_ids: [...people, people[4]] });
    const done = await finished(path, all.body);
    assert.deepEqual(counts(done), {
      status: "completed",
      total: 5,
      processed: 5,
      entered: 1,
      skipped: { unsubscribed: 1, filter: 1, inside: 1, reentry: 1 },
    });
    const listed = (await app.api("GET", `${path}/enrollments?include_total=true`)).body;
    assert.equal(listed.total, 3);
    assert.equal(listed.data[0].id, all.body.id);
    const kept = await app.db.one<{ subscriber_ids: null }>(
      sql`select subscriber_ids from automation_enrollments where id = ${uuidOf("enr", all.body.id)}`,
    );
    assert.equal(kept.subscriber_ids, null, "one that has ended names nobody");
    await assertBalanced(app, idOf(path));
    await settled(app);
    const events = await app.api("GET", "/v1/events?type=automation.enrollment_completed");
    assert.equal(events.body.data.length, 3);
  });

  it("takes everybody on the list, or a segment of it, spread over the minutes that it has", async () => {
    const listId = await makeList(app);
    await fill(listId, 6);
    const rules = { field: "email", op: "one_of", value: ["person-1@example.com", "person-4@example.com"] };
    const segment = await app.api("POST", "/v1/segments", { body: { name: "Two", list_id: listId, rules } });
    assert.equal(segment.status, 201, segment.text);
    const path = await start(listId);
    const some = await enroll(path, { segment_id: segment.body.id });
    assert.deepEqual(counts(await finished(path, some.body)), {
      status: "completed",
      total: 2,
      processed: 2,
      entered: 2,
      skipped: {},
    });
    const all = await enroll(path, { everyone: true, spread_minutes: 60 });
    assert.deepEqual(counts(await finished(path, all.body)), {
      status: "completed",
      total: 6,
      processed: 6,
      entered: 4,
      skipped: { inside: 2 },
    });
    const from = new Date(all.body.created_at).getTime();
    const later = await app.db.many<{ minutes: number }>(sql`
      select round(extract(epoch from arrived_at - ${new Date(from)}) / 60)::int as minutes from automation_runs
      where automation_id = ${idOf(path)} and arrived_at > ${new Date(from + 60_000)} order by 1`);
    assert.deepEqual(
      later.map(({ minutes }) => minutes),
      [20, 30, 50],
    );
    await assertBalanced(app, idOf(path));
  });

  it("goes on where it was, whichever piece is cut off, and lets nobody in twice", async () => {
    const listId = await makeList(app);
    await fill(listId, 7);
    const path = await start(listId, { on: [{ type: "manual" }], reentry: { mode: "every_time" } });
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    const id = await makeQueued(path);
    const accountId = uuidOf("acc", app.accountId);
    const payload = { account_id: accountId, enrollment_id: id };
    let nth = 0;
    const dying: Db = {
      ...app.db,
      transaction: (work) =>
        app.db.transaction(async (tx) => {
          const result = await work(tx);
          if (++nth % 2 === 1) throw new Error("killed");
          return result;
        }),
    };
    const piece = (db: Db) => enrollPiece({ db, clock: systemClock, log }, RUN_TOOLS, payload, 2);
    for (let isMore = true; isMore; ) {
      await assert.rejects(piece(dying), /killed/);
      isMore = await piece(dying);
    }
    // Two who go on with it at once change nothing any more.
    assert.deepEqual(await Promise.all([piece(app.db), piece(app.db)]), [false, false]);
    const runs = await runsOf(app, idOf(path));
    assert.equal(runs.length, 7);
    assert.equal(new Set(runs.map(({ subscriber_id }) => subscriber_id)).size, 7);
    const row = await app.db.one(
      sql`select status, processed, entered from automation_enrollments where id = ${id}`,
    );
    assert.deepEqual({ ...(row as object) }, { status: "completed", processed: 7, entered: 7 });
    await assertBalanced(app, idOf(path));
  });

  it("is canceled, and ends with its automation", async () => {
    const listId = await makeList(app);
    await fill(listId, 5);
    const path = await start(listId);
    const id = await makeQueued(path);
    const payload = { account_id: uuidOf("acc", app.accountId), enrollment_id: id };
    const piece = () => enrollPiece({ db: app.db, clock: systemClock, log }, RUN_TOOLS, payload, 2);
    assert.equal(await piece(), true);
    const [shown] = (await app.api("GET", `${path}/enrollments`)).body.data;
    assert.deepEqual([shown.status, shown.processed, shown.total], ["running", 2, 5]);
    const canceled = await app.api("POST", `${path}/enrollments/${shown.id}/cancel`);
    assert.deepEqual([canceled.status, canceled.body.status], [200, "canceled"]);
    assert.equal(await piece(), false);
    assert.equal((await runsOf(app, idOf(path))).length, 2);

    const other = await makeQueued(path);
    assert.equal((await app.api("POST", `${path}/drain`)).status, 200);
    await enrollPiece({ db: app.db, clock: systemClock, log }, RUN_TOOLS, {
      ...payload,
      enrollment_id: other,
    });
    const row = await app.db.one(sql`select status, error from automation_enrollments where id = ${other}`);
    assert.deepEqual({ ...(row as object) }, { status: "failed", error: "automation_ended" });
  });

  it("is refused without the trigger manual, in a draft, without saying who, and of people who aren't there", async () => {
    const listId = await makeList(app);
    const path = await start(listId, { on: [{ type: "list_joined" }] });
    const refused = await enroll(path, { everyone: true });
    assert.deepEqual([refused.status, refused.body.code], [409, "enrollment_not_allowed"]);
    const draft = await app.api("POST", "/v1/automations", { body: { name: "Draft", list_id: listId } });
    const early = await enroll(`/v1/automations/${draft.body.id}`, { everyone: true });
    assert.deepEqual([early.status, early.body.code], [409, "invalid_state"]);
    const manual = await start(listId);
    assert.equal((await enroll(manual, {})).status, 422);
    assert.equal(
      (await enroll(manual, { everyone: true, segment_id: "seg_01k9zq4t3xe8k8y0v6d3m2n1pq" })).status,
      422,
    );
    const elsewhere = await addSubscriber(app, await makeList(app), "elsewhere@example.com");
    const unknown = await enroll(manual, { subscriber_ids: [elsewhere["id"]] });
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, "/subscriber_ids/0"]);
  });
});

/** Writes an enrollment of everybody without its job, which the test does itself. */
async function makeQueued(path: string): Promise<string> {
  const { id } = await app.db.one<{ id: string }>(sql`
    insert into automation_enrollments (account_id, id, automation_id, whom, spread_minutes, created_at, updated_at)
    values (${uuidOf("acc", app.accountId)}, gen_random_uuid(), ${idOf(path)}, 'everyone', 0, now(), now()) returning id`);
  return id;
}
