/** The whole service leads people on by itself, and what hangs on a person or an automation goes with it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { enterRuns } from "../../src/automations/runs/runs.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  advance,
  assertBalanced,
  countsOf,
  inAccount,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
  setState,
} from "../support/automations.ts";
import { makeFixture } from "../support/fixtures.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

async function addPerson(email: string): Promise<string> {
  const reply = await app.api("POST", "/v1/subscribers", { body: { email, list_id: listId } });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}

async function enter(id: string, ...people: readonly string[]): Promise<void> {
  const live = await liveOf(app, id);
  const at = systemClock.now();
  const entries = people.map((one) => ({ subscriberId: uuidOf("sub", one), key: "", causeDepth: 0, at }));
  await inAccount(app, systemClock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, entries));
}

describe("the service", () => {
  it("leads people on as soon as they enter, and on again when their wait is over", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        tag: { type: "tag", add: ["seen"], next: "wait" },
        wait: { type: "wait", for: "PT1H", next: "end" },
      },
    });
    const person = await addPerson("ada@example.com");
    await enter(id, person);
    await until(async () => (await runsOf(app, id))[0]?.woken_by === "time");
    // An hour goes by for this run.
    await app.db.execute(sql`
      update automation_runs set arrived_at = arrived_at - interval '1 hour', due_at = due_at - interval '1 hour'
      where automation_id = ${id}`);
    await until(async () => (await runsOf(app, id))[0]?.state === "completed");
    assert.deepEqual((await app.api("GET", `/v1/subscribers/${person}`)).body.tags, ["seen"]);
    await assertBalanced(app, id);
  });

  it("leads nobody on whose list was deleted, though a job has still to remove them", async () => {
    const other = await makeList(app);
    const { id } = await makeLive(app, other, {
      nodes: { tag: { type: "tag", add: ["seen"], next: "end" } },
    });
    const person = await addSubscriber(app, other, "gone@example.com");
    // As it is between the request and the job.
    await app.db.execute(sql`update lists set deleted_at = now() where id = ${uuidOf("lst", other)}`);
    await enter(id, String(person["id"]));
    assert.equal(await advance(app, systemClock, id), 0);
    assert.deepEqual(
      (await runsOf(app, id)).map(({ node, state }) => [node, state]),
      [["tag", "active"]],
    );
    await app.db.execute(sql`update lists set deleted_at = null where id = ${uuidOf("lst", other)}`);
    await until(async () => (await runsOf(app, id))[0]?.state === "completed");
  });

  it("forgets runs with their person, and keeps the sums", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: { wait: { type: "wait", for: "P1D", next: "end" } },
    });
    const [goes, stays] = [await addPerson("goes@example.com"), await addPerson("stays@example.com")];
    await enter(id, goes, stays);
    await until(async () => (await runsOf(app, id)).every(({ woken_by }) => woken_by === "time"));
    const reply = await app.api("POST", `/v1/subscribers/${goes}/forget`);
    assert.ok(reply.status < 300, reply.text);
    assert.deepEqual(
      (await runsOf(app, id)).map((run) => run.subscriber_id),
      [uuidOf("sub", stays)],
    );
    assert.equal((await countsOf(app, id))["exited:deleted"], 1);
    await assertBalanced(app, id);
  });

  it("leads the others on when the database refuses what one of them would write", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: { wait: { type: "wait", for: "PT1H", next: "end" } },
    });
    const people = [await addPerson("first@example.com"), await addPerson("bad@example.com")];
    people.push(await addPerson("last@example.com"));
    const bad = uuidOf("sub", people[1] as string);
    await enter(id, ...people);
    await until(async () => (await runsOf(app, id)).every(({ woken_by }) => woken_by === "time"));
    await app.db.execute(sql`
      create function refuse_one() returns trigger language plpgsql as $$
      begin
        if exists (select from automation_runs where id = new.run_id and subscriber_id = tg_argv[0]::uuid) then
          raise check_violation using message = 'this row is refused';
        end if;
        return new;
      end $$`);
    await app.db.execute(
      sql`create trigger refuse_one before insert on automation_journal for each row execute function refuse_one(${raw(`'${bad}'`)})`,
    );
    try {
      await app.db.execute(sql`
        update automation_runs set arrived_at = arrived_at - interval '1 hour', due_at = due_at - interval '1 hour'
        where automation_id = ${id}`);
      const standing = async () =>
        Object.fromEntries((await runsOf(app, id)).map((run) => [run.subscriber_id, run.state]));
      await until(
        async () => Object.values(await standing()).filter((one) => one === "completed").length === 2,
      );
      assert.equal((await standing())[bad], "active", "who is refused is put off, and stays");
      const said = () => app.logs.find((line) => line.includes("a run could not be led on"));
      await until(() => said() !== undefined);
      assert.match(said() ?? "", /"err":\{[^}]*"message":"[^"]+/, "the log says why");
    } finally {
      await app.db.execute(sql`drop trigger refuse_one on automation_journal`);
      await app.db.execute(sql`drop function refuse_one`);
    }
    await assertBalanced(app, id);
  });

  it("removes all that hangs on an automation that is deleted", async () => {
    const { id, automationId } = await makeLive(app, listId, {
      nodes: { wait: { type: "wait", for: "P1D", next: "end" } },
    });
    await enter(id, await addPerson("bob@example.com"));
    await setState(app, id, "archived");
    assert.equal((await app.api("DELETE", `/v1/automations/${automationId}`)).status, 204);
    await until(async () => {
      const { left } = await app.db.one<{ left: number }>(sql`select
        (select count(*) from automation_runs where automation_id = ${id})
        + (select count(*) from automation_gates where automation_id = ${id})
        + (select count(*) from automation_counts where automation_id = ${id})
        + (select count(*) from automation_versions where automation_id = ${id}) as left`);
      return left === 0;
    });
  });
});
