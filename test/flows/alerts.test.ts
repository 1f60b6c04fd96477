/** Alerts from their opening to their end: told once until they change, by events and by mail, and seen by their account alone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeAlert, forgetOldAlerts, type NewAlert, openAlert } from "../../src/alerts/alerts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson } from "../support/people.ts";
import { type Json, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PATH = "/v1/deliverability/alerts";
const log = createLog({ level: "silent", pretty: false });

let app: TestApp;
let count = 0;
const fresh = () => `subject${++count}.example`;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const inTx = <T>(
  work: (ctx: Parameters<typeof openAlert>[0]) => Promise<T>,
  accountId = uuidOf("acc", app.accountId),
) => app.db.transaction((tx) => work(systemCtx({ clock: systemClock, log }, tx, accountId)));

function alertOf(subject: string, more: Partial<NewAlert> = {}): NewAlert {
  const words = {
    title: `${subject} is listed`,
    detail: "Somebody lists it.",
    remedy: "Ask for its removal.",
  };
  // A kind that no job of the app closes when it finds nothing wrong with the subject.
  return {
    kind: "domain_unverified",
    subject,
    severity: "warning",
    ...words,
    data: { zones: ["a"] },
    ...more,
  };
}

const open = (alert: NewAlert) => inTx((ctx) => openAlert(ctx, alert));

async function alertsOf(subject: string, query = "", key = app.key): Promise<Json[]> {
  const page = await app.api("GET", `${PATH}?limit=200${query}`, { key });
  assert.equal(page.status, 200, page.text);
  return page.body.data.filter((one: Json) => one["subject"] === subject);
}

async function eventsOf(alertId: unknown): Promise<string[]> {
  await settled(app);
  const types = ["opened", "acknowledged", "closed"].map((type) => `type=alert.${type}`).join("&");
  const page = await app.api("GET", `/v1/events?limit=200&sort=created_at&${types}`);
  assert.equal(page.status, 200, page.text);
  return page.body.data
    .filter((one: Json) => (one["data"] as Json)["alert_id"] === alertId)
    .map((one: Json) => one["type"]);
}

describe("an alert", () => {
  test("is opened once, however often and by however many it is noticed", async () => {
    const subject = fresh();
    await Promise.all(Array.from({ length: 8 }, () => open(alertOf(subject))));
    await open(alertOf(subject, { detail: "The same, in other words." }));
    const [alert, ...others] = await alertsOf(subject);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [alert?.["status"], alert?.["severity"], alert?.["title"], alert?.["data"]],
      ["open", "warning", `${subject} is listed`, { zones: ["a"] }],
    );
    assert.deepEqual(await eventsOf(alert?.["id"]), ["alert.opened"]);
  });

  test("stays acknowledged until its severity or its state changes", async () => {
    const subject = fresh();
    await open(alertOf(subject, { stateKey: "a" }));
    const [{ id } = {} as Json] = await alertsOf(subject);
    for (const _ of [1, 2]) {
      const reply = await app.api("POST", `${PATH}/${id}/acknowledge`);
      assert.deepEqual([reply.status, reply.body.status], [200, "acknowledged"], reply.text);
      assert.ok(reply.body.acknowledged_at);
    }
    await open(alertOf(subject, { stateKey: "a" }));
    assert.deepEqual(
      (await alertsOf(subject)).map((one) => one["status"]),
      ["acknowledged"],
    );
    assert.deepEqual(await eventsOf(id), ["alert.opened", "alert.acknowledged"]);

    await open(alertOf(subject, { stateKey: "a b", title: "Two lists" }));
    const [changed] = await alertsOf(subject);
    assert.deepEqual(
      [changed?.["id"], changed?.["status"], changed?.["title"], changed?.["acknowledged_at"]],
      [id, "open", "Two lists", null],
    );
    await open(alertOf(subject, { stateKey: "a b", severity: "critical" }));
    const opened = ["alert.opened", "alert.acknowledged", "alert.opened", "alert.opened"];
    assert.deepEqual(await eventsOf(id), opened);
  });

  test("stays critical while it says the same, and is told of nothing less grave", async () => {
    const subject = fresh();
    await open(alertOf(subject, { stateKey: "a b", severity: "critical" }));
    const [{ id } = {} as Json] = await alertsOf(subject);
    await open(alertOf(subject, { stateKey: "a b", severity: "warning" }));
    assert.equal((await alertsOf(subject))[0]?.["severity"], "critical");
    await app.api("POST", `${PATH}/${id}/acknowledge`);
    await open(alertOf(subject, { stateKey: "b", severity: "warning", title: "One list is left" }));
    const [eased] = await alertsOf(subject);
    assert.deepEqual(
      [eased?.["severity"], eased?.["title"], eased?.["status"]],
      ["warning", "One list is left", "acknowledged"],
    );
    assert.deepEqual(await eventsOf(id), ["alert.opened", "alert.acknowledged"]);
  });

  test("is closed once, and what comes after is another one", async () => {
    const subject = fresh();
    await open(alertOf(subject));
    const [first] = await alertsOf(subject);
    await Promise.all([1, 2, 3].map(() => inTx((ctx) => closeAlert(ctx, "domain_unverified", subject))));
    await inTx((ctx) => closeAlert(ctx, "storm", subject));
    const closed = await app.api("GET", `${PATH}/${first?.["id"]}`);
    assert.deepEqual([closed.body.status, typeof closed.body.closed_at], ["closed", "string"]);
    const late = await app.api("POST", `${PATH}/${first?.["id"]}/acknowledge`);
    assert.deepEqual([late.status, late.body.status, late.body.acknowledged_at], [200, "closed", null]);
    assert.deepEqual(await eventsOf(first?.["id"]), ["alert.opened", "alert.closed"]);

    await open(alertOf(subject));
    const all = await alertsOf(subject);
    assert.deepEqual(
      all.map((one) => one["status"]),
      ["open", "closed"],
    );
    assert.deepEqual(
      (await alertsOf(subject, "&status=closed")).map((one) => one["id"]),
      [first?.["id"]],
    );
    assert.equal((await alertsOf(subject, "&status=open&kind=storm")).length, 0);
  });

  test("is forgotten a year after its end, and not before", async () => {
    const [over, lasting] = [fresh(), fresh()];
    await open(alertOf(over));
    await open(alertOf(lasting));
    await inTx((ctx) => closeAlert(ctx, "domain_unverified", over));
    const later = (days: number) => new Date(systemClock.now().getTime() + days * 86_400_000);
    await forgetOldAlerts(app.db, later(364));
    assert.equal((await alertsOf(over)).length, 1);
    await forgetOldAlerts(app.db, later(366));
    assert.deepEqual([(await alertsOf(over)).length, (await alertsOf(lasting)).length], [0, 1]);
  });

  test("is seen and acknowledged by its own account alone, and by who may", async () => {
    const subject = fresh();
    await open(alertOf(subject));
    const [{ id } = {} as Json] = await alertsOf(subject);
    const other = await app.addAccount();
    const reader = await app.addKey(["deliverability:read"]);
    assert.equal((await alertsOf(subject, "", other.key)).length, 0);
    for (const [method, path, key, status] of [
      ["GET", `${PATH}/${id}`, other.key, 404],
      ["POST", `${PATH}/${id}/acknowledge`, other.key, 404],
      ["POST", `${PATH}/${id}/acknowledge`, reader, 403],
      ["GET", `${PATH}/alr_nonsense`, app.key, 404],
      ["GET", `${PATH}?status=gone`, app.key, 400],
    ] as const) {
      assert.equal((await app.api(method, path, { key })).status, status, `${method} ${path}`);
    }
    assert.deepEqual(
      (await alertsOf(subject)).map((one) => one["status"]),
      ["open"],
    );
  });

  test("is told to the owners by one mail, whose words are never markup, headers or links", async () => {
    const owner = await addPerson(app, "owner-of-alerts@example.com", "owner");
    const title = "<b>Hostile</b>\r\nBcc: x\u0000 https://evil.example/\u202e \ud800";
    const alert = alertOf(fresh(), { title, subject: `${fresh()}\u0000`, detail: "<script>1</script>" });
    await open(alert);
    await open(alert);
    const caught = async () => {
      const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(owner.email)}`);
      return page.body.data.filter((one: Json) => String(one["subject"]).includes("Hostile"));
    };
    await until(async () => (await caught()).length > 0);
    await until(async () => {
      const left = await app.db.many(sql`
        select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'notice'`);
      return left.length === 0;
    });
    const [mail, ...more] = await caught();
    assert.equal(more.length, 0);
    const { body } = await app.api("GET", `/v1/sandbox/messages/${mail.id}`);
    assert.ok(!body.html.includes("<script>") && !body.html.includes("<b>"), body.html);
    assert.ok(body.text.includes("<script>1</script>") && body.text.includes("Ask for its removal."));
    assert.ok(!body.text.includes("https://evil.example"), body.text);
    const names = body.headers.map((one: { name: string }) => one.name.toLowerCase());
    assert.ok(!names.includes("bcc"));
  });

  test("that is over before its mail is written is not told of", async () => {
    const owner = await addPerson(app, "owner-of-none@example.com", "owner");
    const subject = fresh();
    await inTx(async (ctx) => {
      await openAlert(ctx, alertOf(subject, { title: "Gone at once" }));
      await closeAlert(ctx, "domain_unverified", subject);
    });
    const marker = fresh();
    await open(alertOf(marker));
    const subjects = async () => {
      const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(owner.email)}`);
      return page.body.data.map((one: Json) => String(one["subject"]).replaceAll("\u200c", ""));
    };
    await until(async () => (await subjects()).some((one: string) => one.includes(marker)));
    assert.ok(!(await subjects()).some((one: string) => one.includes("Gone at once")));
  });
});
