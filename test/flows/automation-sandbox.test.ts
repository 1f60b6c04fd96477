/** A version that was published while the account was in the sandbox stays there, whatever servers are added later. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { SANDBOX_TRANSPORT } from "../../src/delivery/ids.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

it("a version keeps to what it was examined for, and says so", async () => {
  const listId = await makeList(app);
  const draft = {
    format: 1,
    start: "mail",
    entry: { on: [{ type: "list_joined" }] },
    nodes: {
      mail: { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" },
      end: { type: "end" },
    },
  };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Tried", list_id: listId, draft } });
  const path = `/v1/automations/${made.body.id}`;
  const simulate = async () =>
    (await app.api("POST", `${path}/simulate`, { body: { person: { first_name: "Ada" } } })).body.sandbox;
  const tried = await app.api("POST", `${path}/publish`, { body: { dry_run: true } });
  assert.deepEqual([tried.status, tried.body.sandbox, await simulate()], [200, true, true], tried.text);
  assert.equal((await app.api("POST", `${path}/start`)).status, 200);
  assert.equal((await app.api("GET", `${path}/versions/1`)).body.sandbox, true);

  const waves = async () =>
    await app.db.many<{ transport_id: string; sent: number }>(sql`
      select s.transport_id, (select count(*)::int from deliveries d
        where d.account_id = s.account_id and d.source_id = s.id and d.state = 'sent') as sent
      from sources s join automation_waves w on w.account_id = s.account_id and w.source_id = s.id
      where w.automation_id = ${uuidOf("aut", made.body.id)} order by w.opened_at`);
  await addSubscriber(app, listId, "ann@example.com");
  await until(async () => (await waves()).some(({ sent }) => sent === 1));

  const transport = { name: "Ours", host: "localhost", streams: ["automation"] };
  assert.equal((await app.api("POST", "/v1/transports", { body: transport })).status, 201);
  assert.equal(await simulate(), false, "what is published now would leave");
  await app.db.execute(sql`update automation_waves set opened_at = opened_at - interval '2 days'`);
  await addSubscriber(app, listId, "bob@example.com");
  await until(async () => (await waves()).length === 2 && (await waves()).every(({ sent }) => sent === 1));
  assert.deepEqual(
    (await waves()).map((one) => one.transport_id),
    [SANDBOX_TRANSPORT, SANDBOX_TRANSPORT],
  );

  assert.equal((await app.api("POST", `${path}/drain`)).status, 200);
  assert.equal((await app.api("DELETE", path)).status, 204);
  await until(async () => {
    const open = await app.db.many(sql`
      select from sources where owner_id = ${uuidOf("aut", made.body.id)} and ended_at is null`);
    return open.length === 0;
  });
});
