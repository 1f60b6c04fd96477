/** Mail of an automation that delivery stops stays where it is until somebody lets it go on, and a pause holds it whatever stopped it before. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { automationOwner } from "../../src/automations/executing/executing.ts";
import { enterRuns } from "../../src/automations/runs/runs.ts";
import { reviveWave } from "../../src/delivery/sources/sources.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { inAccount, liveOf, makeLive, RUN_TOOLS } from "../support/automations.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

type Source = { readonly id: string; readonly state: string; readonly reason: string | null };

/** Makes an automation that has mailed one person, and returns the source of that mail. */
async function makeMailing(): Promise<{ path: string; id: string; sourceId: string }> {
  const listId = await makeList(app);
  const mail = { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" };
  const { id, automationId } = await makeLive(app, listId, { nodes: { mail } });
  const person = await addSubscriber(app, listId, `person-${id}@example.com`);
  const entry = { subscriberId: uuidOf("sub", person["id"]), key: "", causeDepth: 0, at: systemClock.now() };
  const live = await liveOf(app, id);
  await inAccount(app, systemClock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, [entry]));
  await until(async () => (await sourceOf(id)) !== undefined);
  const sourceId = (await sourceOf(id))?.id ?? "";
  return { path: `/v1/automations/${automationId}`, id, sourceId };
}

const sourceOf = (id: string): Promise<Source | undefined> =>
  app.db.maybeOne<Source>(sql`select id, state, reason from sources where owner_id = ${id}`);

/** Does what delivery does when it stops a source by itself. */
const stop = (id: string, sourceId: string, reason: string) =>
  inAccount(app, systemClock, async (ctx) => {
    await ctx.sql.execute(
      sql`update sources set state = 'paused', reason = ${reason} where id = ${sourceId}`,
    );
    const source = { id: sourceId, stream: "automation", ownerId: id } as const;
    await automationOwner.sourceEnded(ctx, source, { kind: "paused", reason, detail: "0.5% complained" });
  });
const revive = (sourceId: string) => inAccount(app, systemClock, (ctx) => reviveWave(ctx, sourceId, false));
const isToBeRevived = async (sourceId: string) =>
  (await app.db.many(sql`select from graphile_worker._private_jobs where key = ${`revive ${sourceId}`}`))
    .length > 0;

describe("mail of an automation", () => {
  it("that met a guardrail pauses the automation, and goes on when somebody resumes that", async () => {
    const { path, id, sourceId } = await makeMailing();
    await stop(id, sourceId, "complaints");
    await until(async () => (await app.api("GET", path)).body.status === "paused");
    assert.equal(await isToBeRevived(sourceId), false);
    await revive(sourceId);
    assert.equal((await sourceOf(id))?.state, "paused", "nothing revives it");
    const event = await app.db.one<{ data: object }>(sql`
      select data from events where type = 'automation.paused' and data ->> 'automation_id' = ${path.split("/")[3]}`);
    assert.deepEqual(event.data, {
      automation_id: path.split("/")[3],
      reason: "complaints",
      detail: "0.5% complained",
    });
    assert.equal((await app.api("POST", `${path}/resume`)).status, 200);
    assert.equal((await sourceOf(id))?.state, "running");
  });

  it("of one that is draining stands still alone, and goes on when somebody resumes it", async () => {
    const { path, id, sourceId } = await makeMailing();
    await app.db.execute(sql`update automations set state = 'draining' where id = ${id}`);
    await stop(id, sourceId, "complaints");
    const stopped = () =>
      app.db.maybeOne(
        sql`select from events where type = 'automation.mail_stopped' and data ->> 'automation_id' = ${path.split("/")[3]}`,
      );
    await until(async () => (await stopped()) !== undefined);
    assert.equal((await sourceOf(id))?.state, "paused");
    const resumed = await app.api("POST", `${path}/resume`);
    assert.ok(["draining", "archived"].includes(resumed.body.status), resumed.text);
    assert.equal((await sourceOf(id))?.state, "running");
  });

  it("that had no transport is tried again, but not while the automation is paused", async () => {
    const { path, id, sourceId } = await makeMailing();
    await stop(id, sourceId, "transport_missing");
    assert.equal(await isToBeRevived(sourceId), true);
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    await revive(sourceId);
    assert.deepEqual(await sourceOf(id), { id: sourceId, state: "paused", reason: "requested" });
    assert.equal((await app.api("POST", `${path}/resume`)).status, 200);
    assert.equal((await sourceOf(id))?.state, "running");
  });
});
