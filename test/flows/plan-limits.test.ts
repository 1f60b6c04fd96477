/** What a plan allows beside mails: contacts, and features that it doesn't include. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeForm, sendForm, untilTaken } from "../support/forms.ts";
import { importFile } from "../support/imports.ts";
import { givePlan } from "../support/plans.ts";
import { logIn } from "../support/smtp/raw-client.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let operator: string;
before(async () => {
  app = await createApp({ settings: { SUBMISSION_PORT: "0" } });
  operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock: systemClock }, "Billing"));
});
after(() => app.stop());

const subscribe = (plan: Json, more: Json & { accountId?: string } = {}) =>
  givePlan(app, operator, plan, { at: "now", ...more });
const instancePath = () => `/v1/instance/accounts/${app.accountId}`;
async function count(): Promise<number> {
  return (await app.api("GET", instancePath(), { key: operator })).body.subscribers;
}
async function allowByOperator(limit: number | null): Promise<void> {
  const changed = await app.api("PATCH", instancePath(), {
    key: operator,
    body: { subscriber_limit: limit },
  });
  assert.equal(changed.status, 200, changed.text);
}
const add = (listId: string, email: string, key = app.key) =>
  app.api("POST", "/v1/subscribers", { body: { email, list_id: listId }, key });

describe("the contacts of a plan", () => {
  test("refuse one more, and say how many the plan allows and how many there are", async () => {
    const listId = await makeList(app);
    const limit = (await count()) + 2;
    await subscribe({ contacts: limit });
    assert.equal((await app.api("GET", "/v1/account")).body.plan_limits.contacts, limit);
    for (const name of ["one", "two"]) assert.equal((await add(listId, `${name}@example.com`)).status, 201);
    const refused = await add(listId, "three@example.com");
    assert.equal(refused.status, 409, refused.text);
    const { code, detail, limit: told, used, set_by } = refused.body;
    assert.deepEqual([code, told, used, set_by], ["subscriber_limit_reached", limit, limit, "plan"]);
    assert.match(detail, /^the account's plan allows \d+ subscribers, and there are \d+$/);
    assert.equal((await add(listId, "ONE@example.com")).body.code, "subscriber_exists");
    await subscribe({ contacts: limit + 1 });
    assert.equal((await add(listId, "three@example.com")).status, 201);
  });

  test("are held exactly by many who add at once, while a neighbour adds as many as it likes", async () => {
    const listId = await makeList(app);
    const other = await app.addAccount();
    const { body: theirs } = await app.api("POST", "/v1/lists", { body: { name: "Theirs" }, key: other.key });
    const [room, asked] = [9, 30];
    const limit = (await count()) + room;
    await subscribe({ contacts: limit });
    const each = Array.from({ length: asked }, (_, n) => n);
    const adding = [
      ...each.map((n) => add(listId, `at-once-${n}@example.com`)),
      ...[1, 2].map((half) => {
        const subscribers = each.map((n) => ({ email: `batch-${half}-${n}@example.com`, list_id: listId }));
        return app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
      }),
    ];
    const free = Promise.all(each.map((n) => add(theirs.id, `their-${n}@example.com`, other.key)));
    await Promise.all(adding);
    assert.equal(await count(), limit);
    assert.ok((await free).every(({ status }) => status === 201));
  });

  test("hold for each item of a batch, and for the rows of a file, tried out or real", async () => {
    const listId = await makeList(app);
    await subscribe({ contacts: (await count()) + 2 });
    const file = "email\na@file.example\nb@file.example\nc@file.example\n";
    for (const dryRun of [true, false]) {
      const { counts, id } = await importFile(app, { list_id: listId, dry_run: dryRun }, file);
      assert.deepEqual([counts.created, counts.failed], [2, 1]);
      const faults = await app.api("GET", `/v1/imports/${id}/errors`);
      assert.match(faults.text, /4,,subscriber_limit_reached,"the account's plan allows \d+ subscribers/);
    }
    const subscribers = ["a@file.example", "d@file.example"].map((email) => ({ email, list_id: listId }));
    const { body } = await app.api("POST", "/v1/subscribers/batch", {
      body: { subscribers, on_conflict: "skip" },
    });
    assert.deepEqual(
      body.results.map(({ status, error }: Json) => error?.code ?? status),
      [200, "subscriber_limit_reached"],
    );
    assert.equal(body.results[1].error.set_by, "plan");
  });

  test("and what operators allow: the lower one counts, and says whose it is", async () => {
    const listId = await makeList(app);
    const there = await count();
    for (const [ofPlan, ofOperator, setBy] of [
      [there, there + 5, "plan"],
      [there + 5, there, "operator"],
    ] as const) {
      await subscribe({ contacts: ofPlan });
      await allowByOperator(ofOperator);
      const { body } = await add(listId, "lower@example.com");
      assert.deepEqual([body.code, body.limit, body.set_by], ["subscriber_limit_reached", there, setBy]);
    }
    await allowByOperator(null);
  });

  test("refuse nobody who signs up, who then counts; what operators allow does", async () => {
    const listId = await makeList(app);
    const form = await makeForm(app, listId, { double_opt_in: false });
    const there = await count();
    await subscribe({ contacts: there });
    const signUp = async (email: string) => {
      const sent = await sendForm(app, form.id, { email, "agree-to-mail": "yes" });
      assert.equal(sent.status, 200);
      await untilTaken(app);
    };
    await signUp("beyond@example.com");
    assert.equal(await count(), there + 1);
    const { body } = await add(listId, "added@example.com");
    assert.deepEqual([body.code, body.limit, body.used], ["subscriber_limit_reached", there, there + 1]);
    await allowByOperator(there + 1);
    await signUp("further@example.com");
    assert.equal(await count(), there + 1);
    await allowByOperator(null);
  });

  test("made fewer than there are are taken, remove nobody, and let who is there be changed", async () => {
    const listId = await makeList(app);
    await subscribe({ contacts: null });
    const { body: person } = await add(listId, "stays@example.com");
    const there = await count();
    await subscribe({ contacts: 0 });
    assert.equal(await count(), there);
    const path = `/v1/subscribers/${person.id}`;
    assert.equal((await app.api("PATCH", path, { body: { first_name: "Ada" } })).status, 200);
    assert.equal((await app.api("POST", "/v1/sample_data")).body.code, "subscriber_limit_reached");
    await subscribe({ contacts: null });
  });

  test("hold at once for whoever waited while the plan was changed", async () => {
    const listId = await makeList(app);
    await subscribe({ contacts: (await count()) + 100 });
    const accountId = uuidOf("acc", app.accountId);
    const there = await count();
    let adding: ReturnType<typeof add> | undefined;
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
      await tx.execute(sql`update plan_limits set contacts = ${there} where account_id = ${accountId}`);
      adding = add(listId, "waited@example.com");
      await until(async () => {
        const waiting = await tx.maybeOne(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`);
        return waiting !== undefined;
      });
    });
    assert.equal((await adding)?.body.code, "subscriber_limit_reached");
    await subscribe({ contacts: null });
  });
});

describe("the features of a plan", () => {
  const webhook = { url: "https://hooks.example.com/in", events: ["*"] };
  const makeWebhook = () => app.api("POST", "/v1/webhooks", { body: webhook });
  const transport = { name: "Ours", host: "smtp.example.com" };
  async function makeAutomation(): Promise<string> {
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "list_joined" }] },
      nodes: { end: { type: "end" } },
    };
    const body = { name: "Welcome", list_id: await makeList(app), draft };
    return (await app.api("POST", "/v1/automations", { body })).body.id;
  }
  async function logInBySmtp(): Promise<string> {
    const line = app.logs.find((one) => one.includes("takes mail by SMTP")) ?? "";
    return logIn(JSON.parse(line).port, app.key).then(
      (client) => {
        client.end();
        return "235";
      },
      (error: Error) => error.message,
    );
  }

  test("are all of them where the plan names none, and none where it names no name", async () => {
    const features = async () => (await app.api("GET", "/v1/account")).body.plan_limits.features;
    await subscribe({});
    assert.equal(await features(), null);
    await subscribe({ features: [] });
    assert.deepEqual(await features(), []);
    await subscribe({ features: ["webhooks", "automations"] });
    assert.deepEqual(await features(), ["automations", "webhooks"]);
    assert.deepEqual((await app.api("GET", "/v1/billing")).body.subscription.terms.features, [
      "automations",
      "webhooks",
    ]);
  });

  test("that the plan hasn't are refused at their doors, by name", async () => {
    const automation = await makeAutomation();
    await subscribe({ features: [] });
    for (const [feature, asked] of [
      ["webhooks", makeWebhook()],
      ["transports", app.api("POST", "/v1/transports", { body: transport })],
      ["automations", app.api("POST", `/v1/automations/${automation}/start`)],
      ["automations", app.api("POST", `/v1/automations/${automation}/publish`)],
    ] as const) {
      const { status, body } = await asked;
      assert.deepEqual([status, body.code, body.feature], [402, "feature_not_included", feature]);
    }
    assert.match(await logInBySmtp(), /^535 5\.7\.8 feature_not_included: .*mail submitted by SMTP/);
  });

  test("that the plan has are open", async () => {
    const automation = await makeAutomation();
    await subscribe({ features: ["automations", "smtp_submission", "transports", "webhooks"] });
    assert.equal((await makeWebhook()).status, 201);
    assert.equal((await app.api("POST", "/v1/transports", { body: transport })).status, 201);
    assert.equal((await app.api("POST", `/v1/automations/${automation}/start`)).status, 200);
    assert.equal(await logInBySmtp(), "235");
  });

  test("that go keep what runs running; what was stopped isn't started again", async () => {
    await subscribe({ features: null });
    const automation = await makeAutomation();
    const { body: hook } = await makeWebhook();
    assert.equal((await app.api("POST", `/v1/automations/${automation}/start`)).status, 200);
    await subscribe({ features: [] });
    assert.equal((await app.api("GET", `/v1/automations/${automation}`)).body.status, "live");
    assert.equal((await app.api("GET", `/v1/webhooks/${hook.id}`)).body.status, "enabled");
    assert.equal((await app.api("POST", `/v1/automations/${automation}/pause`)).status, 200);
    const disabled = await app.api("PATCH", `/v1/webhooks/${hook.id}`, { body: { status: "disabled" } });
    assert.equal(disabled.status, 200, disabled.text);
    for (const path of [`/v1/automations/${automation}/resume`, `/v1/webhooks/${hook.id}/enable`])
      assert.equal((await app.api("POST", path)).body.code, "feature_not_included");
    const patched = await app.api("PATCH", `/v1/webhooks/${hook.id}`, { body: { status: "enabled" } });
    assert.equal(patched.status, 402, patched.text);
    await subscribe({ features: null });
    for (const path of [`/v1/automations/${automation}/resume`, `/v1/webhooks/${hook.id}/enable`])
      assert.equal((await app.api("POST", path)).status, 200);
  });

  test("of a neighbour are its own, and without a plan there are all", async () => {
    const other = await app.addAccount();
    await subscribe({ features: [] });
    const made = await app.api("POST", "/v1/webhooks", { body: webhook, key: other.key });
    assert.equal(made.status, 201, made.text);
    assert.equal((await makeWebhook()).status, 402);
  });

  test("that nobody knows are refused in a plan", async () => {
    for (const features of [["sso"], ["webhooks", "webhooks"], ["none"], "webhooks"]) {
      const body = { name: "Odd", price: "1.00", currency: "EUR", features };
      const made = await app.api("POST", "/v1/instance/plans", { key: operator, body });
      assert.equal(made.status, 422, JSON.stringify(features));
      assert.match(made.body.errors[0].pointer, /^\/features/);
    }
  });
});
