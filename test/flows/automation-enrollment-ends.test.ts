/** An automation is ended, deleted or loses its list while people are put into it piece by piece: the enrollment says how it ended, and nobody stays inside. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { enrollPiece } from "../../src/automations/enrolling/enroll-people.ts";
import { endSomeRuns } from "../../src/automations/publishing/ending-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql, type Tx } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, RUN_TOOLS, runsOf } from "../support/automations.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

type Begun = {
  listId: string;
  path: string;
  id: string;
  enrollment: string;
  piece(db?: Db): Promise<boolean>;
};

/** Starts an automation, and an enrollment of five people that comes in pieces of two; the test does each piece itself. */
async function begin(): Promise<Begun> {
  const listId = await makeList(app);
  for (let at = 0; at < 5; at++) await addSubscriber(app, listId, `person-${at}@example.com`);
  const nodes = { wait: { type: "wait", for: "P3D", next: "end" }, end: { type: "end" } };
  const draft = { format: 1, start: "wait", entry: { on: [{ type: "manual" }] }, nodes };
  const made = await app.api("POST", "/v1/automations", {
    body: { name: "By hand", list_id: listId, draft },
  });
  const path = `/v1/automations/${made.body.id}`;
  assert.equal((await app.api("POST", `${path}/start`)).status, 200);
  const id = uuidOf("aut", made.body.id);
  const accountId = uuidOf("acc", app.accountId);
  const { enrollment } = await app.db.one<{ enrollment: string }>(sql`
    insert into automation_enrollments (account_id, id, automation_id, whom, spread_minutes, created_at, updated_at)
    values (${accountId}, gen_random_uuid(), ${id}, 'everyone', 0, now(), now()) returning id as enrollment`);
  const payload = { account_id: accountId, enrollment_id: enrollment };
  const piece = (db: Db = app.db) => enrollPiece({ db, clock: systemClock, log }, RUN_TOOLS, payload, 2);
  return { listId, path, id, enrollment, piece };
}

const stateOf = async ({ path, enrollment }: Begun): Promise<Json> => {
  const { body } = await app.api("GET", `${path}/enrollments/${toPublicId("enr", enrollment)}`);
  return {
    status: body.status,
    error: body.error,
    total: body.total,
    processed: body.processed,
    entered: body.entered,
  };
};
const FAILED = { status: "failed", total: 5, processed: 2, entered: 2 };
const statsOf = async ({ path }: Begun) => {
  const { entered, active, completed, exited } = (await app.api("GET", `${path}/stats`)).body;
  return { entered, active, completed, exited };
};
const nobodyIsInside = async ({ id }: Begun) => {
  await until(async () => (await runsOf(app, id)).every(({ state }) => state !== "active"));
  await assertBalanced(app, id);
};

const nothingIsLeft = ({ id }: Begun) =>
  until(async () => {
    const left = await app.db.many(sql`
      select from automation_enrollments where automation_id = ${id}
      union all select from automation_runs where automation_id = ${id}
      union all select from automation_journal where automation_id = ${id}
      union all select from automation_counts where automation_id = ${id}
      union all select from automation_gates where automation_id = ${id}`);
    return left.length === 0;
  });

/** Resolves when somebody waits for a lock of this transaction with such a statement. */
const isWaitedFor = (tx: Tx, word: string) =>
  until(async () => {
    await tx.execute(sql`select pg_stat_clear_snapshot()`);
    const waiting = await tx.many(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${word}%`}`);
    return waiting.length > 0;
  });

/** Holds up a transaction when its work is done. */
function heldUp(meanwhile: (tx: Tx) => Promise<void>): Db {
  return {
    ...app.db,
    transaction: (work) =>
      app.db.transaction(async (tx) => {
        const result = await work(tx);
        await meanwhile(tx);
        return result;
      }),
  };
}

describe("an enrollment whose automation ends between two pieces", () => {
  it("fails where it is canceled, and everybody who came leaves", async () => {
    const begun = await begin();
    assert.equal(await begun.piece(), true);
    assert.equal((await app.api("POST", `${begun.path}/cancel`)).status, 200);
    assert.equal(await begun.piece(), false);
    assert.deepEqual(await stateOf(begun), { ...FAILED, error: "automation_ended" });
    await nobodyIsInside(begun);
    const left = { entered: 2, active: 0, completed: 0, exited: { canceled: 2 } };
    assert.deepEqual(await statsOf(begun), left);
    assert.equal((await app.api("GET", begun.path)).body.status, "archived");
  });

  it("is not ended by an archiving that is refused, since people are inside, and fails where nobody was yet", async () => {
    const [inside, empty] = [await begin(), await begin()];
    assert.equal(await inside.piece(), true);
    const refused = await app.api("POST", `${inside.path}/archive`);
    assert.deepEqual([refused.status, refused.body.code], [409, "invalid_state"]);
    assert.deepEqual([await inside.piece(), await inside.piece()], [true, false]);
    const done = { status: "completed", error: null, total: 5, processed: 5, entered: 5 };
    assert.deepEqual(await stateOf(inside), done);

    assert.equal((await app.api("POST", `${empty.path}/archive`)).status, 200);
    assert.equal(await empty.piece(), false);
    const never = { status: "failed", error: "automation_ended", total: null, processed: 0, entered: 0 };
    assert.deepEqual(await stateOf(empty), never);
    assert.deepEqual(
      [await runsOf(app, empty.id), await runsOf(app, inside.id)].map((runs) => runs.length),
      [0, 5],
    );
  });

  it("is gone with an automation that is deleted, with everybody who came", async () => {
    const begun = await begin();
    assert.equal(await begun.piece(), true);
    assert.equal((await app.api("DELETE", begun.path)).status, 409, "people may be inside");
    assert.equal((await app.api("POST", `${begun.path}/cancel`)).status, 200);
    assert.equal((await app.api("DELETE", begun.path)).status, 204);
    assert.equal(await begun.piece(), false);
    await nothingIsLeft(begun);
  });

  it("is gone as well where it is deleted while everybody who came is leaving", async () => {
    const begun = await begin();
    assert.equal(await begun.piece(), true);
    const accountId = uuidOf("acc", app.accountId);
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from automation_runs where automation_id = ${begun.id} for update`);
      assert.equal((await app.api("POST", `${begun.path}/cancel`)).status, 200);
      assert.equal((await app.api("DELETE", begun.path)).status, 204);
      await isWaitedFor(tx, "automation_runs");
      const how = { as: "canceled", now: new Date(), limit: 10 };
      assert.equal(await endSomeRuns(tx, accountId, begun.id, how), 2);
    });
    await nothingIsLeft(begun);
  });
});

describe("an enrollment in the midst of a piece", () => {
  it("lets whoever cancels the automation wait, and nobody stays inside", async () => {
    const begun = await begin();
    let canceling: Promise<number> | undefined;
    const db = heldUp(async (tx) => {
      canceling ??= app.api("POST", `${begun.path}/cancel`).then(({ status }) => status);
      await isWaitedFor(tx, "automations");
    });
    assert.equal(await begun.piece(db), true);
    assert.equal(await canceling, 200);
    assert.equal(await begun.piece(), false);
    assert.deepEqual(await stateOf(begun), { ...FAILED, error: "automation_ended" });
    await nobodyIsInside(begun);
    assert.equal((await runsOf(app, begun.id)).length, 2);
  });

  it("lets whoever deletes the list wait, and everybody who came leaves as deleted", async () => {
    const begun = await begin();
    let deleting: Promise<number> | undefined;
    const db = heldUp(async (tx) => {
      deleting ??= app.api("DELETE", `/v1/lists/${begun.listId}?force=true`).then(({ status }) => status);
      await isWaitedFor(tx, "lists");
    });
    assert.equal(await begun.piece(db), true);
    assert.equal(await deleting, 204);
    assert.equal(await begun.piece(), false);
    assert.deepEqual(await stateOf(begun), { ...FAILED, error: "list_deleted" });
    await nobodyIsInside(begun);
    const left = { entered: 2, active: 0, completed: 0, exited: { deleted: 2 } };
    assert.deepEqual(await statsOf(begun), left);
  });

  it("that has its own row when the automation is deleted keeps neither, and lets nobody in", async () => {
    const begun = await begin();
    assert.equal((await app.api("POST", `${begun.path}/cancel`)).status, 200);
    let deleting: Promise<number> | undefined;
    // It has locked the enrollment by then, and not yet the automation.
    const hold = async (tx: Tx) => {
      if (deleting) return;
      deleting = app.api("DELETE", begun.path).then(({ status }) => status);
      await isWaitedFor(tx, "delete from automation_enrollments");
    };
    const db: Db = {
      ...app.db,
      transaction: (work) =>
        app.db.transaction((tx) =>
          work({
            ...tx,
            execute: async (statement) => {
              await hold(tx);
              return tx.execute(statement);
            },
          }),
        ),
    };
    assert.equal(await begun.piece(db), false);
    assert.equal(await deleting, 204);
    const kept = await app.db.many(sql`
      select from automation_enrollments where automation_id = ${begun.id}
      union all select from automations where id = ${begun.id}`);
    assert.deepEqual([kept.length, await runsOf(app, begun.id)], [0, []]);
  });
});
