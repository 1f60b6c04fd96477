/**
 * No campaign is sent without a working unsubscribe link, and whether a POST to it would arrive is tried from
 * outside.
 */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { closedPort } from "../../src/doctor/support.fixture.ts";
import { askProbe, probingJob } from "../../src/messages/messages.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, inAnHour, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, eventsSince, type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const RELAY = "smtp://relay.example.com:587";
const PUBLIC = "https://mail.example.com";
const sandbox = await createApp();
after(() => sandbox.stop());

/** Starts an app on the database of the sandbox's, as if its settings had been changed. */
const started: TestApp[] = [];
async function appWith(settings: Record<string, string>, served?: typeof WITH_UNSUBSCRIBE): Promise<TestApp> {
  const more = served ? { served } : {};
  const app = await createApp({
    databaseUrl: sandbox.databaseUrl,
    settings: { ROLES: "api", ...settings },
    ...more,
  });
  started.push(app);
  return app;
}
after(() => Promise.all(started.map((app) => app.stop())));

let listId: string;
before(async () => {
  listId = await makeList(sandbox, { from_email: "news@acme.example", postal_address: "1 High Street" });
  await addSubscriber(sandbox, listId, "ada@example.com");
});

/** An instance whose links in mail nobody answers. */
const NOT_SERVED: typeof WITH_UNSUBSCRIBE = { opens: false, clicks: false, unsubscribe: false };

const codes = (checks: Json[]) => checks.map(({ code, severity }) => `${code} ${severity}`);

describe("where the unsubscribe link isn't served", () => {
  let app: TestApp;
  before(async () => {
    app = await appWith({ SMTP_URL: RELAY, PUBLIC_URL: PUBLIC }, NOT_SERVED);
  });

  it("a launch over a real transport is 422, by hand and onto the schedule, and the draft says so before", async () => {
    const made = await makeCampaign(app, listId);
    assert.ok(codes(made["checks"]).includes("unsubscribe_not_served error"), JSON.stringify(made["checks"]));
    const checked = await app.api("GET", `/v1/campaigns/${made["id"]}/checks`);
    assert.equal(checked.body.blocks_send, true);
    for (const [action, body] of [
      ["send"],
      ["send", { undo_seconds: 5 }],
      ["schedule", { send_at: inAnHour() }],
    ] as const) {
      const reply = await act(app, made["id"], action, body);
      assert.deepEqual([reply.status, reply.body.code], [422, "unsubscribe_not_served"], reply.text);
      assert.deepEqual(
        reply.body.errors.map((fault: Json) => `${fault["pointer"]} ${fault["code"]}`),
        [" unsubscribe_not_served"],
      );
    }
    assert.equal((await readCampaign(app, made["id"]))["status"], "draft");
  });

  it("every other problem is named beside it", async () => {
    const { id } = await makeCampaign(app, listId, { html: "<p>{{ nonsense }}</p>" });
    const reply = await act(app, id, "send");
    assert.equal(reply.body.code, "unsubscribe_not_served");
    assert.ok(
      reply.body.errors.some((fault: Json) => fault["code"] === "unresolved_variable"),
      reply.text,
    );
  });

  it("paused before its start and resumed too late, it is refused as well", async () => {
    const { id } = await makeCampaign(sandbox, listId);
    await act(sandbox, id, "schedule", { send_at: new Date(Date.now() + 700).toISOString() });
    await act(sandbox, id, "pause");
    await sleep(800);
    const reply = await act(app, id, "resume", { if_elapsed: "send_now" });
    assert.deepEqual([reply.status, reply.body.code], [422, "unsubscribe_not_served"], reply.text);
  });

  it("an account's own transport is a real one too", async () => {
    const own = await appWith({ PUBLIC_URL: PUBLIC }, NOT_SERVED);
    const { key } = await own.addAccount();
    const body = { name: "Own", host: "smtp.example.com", streams: ["campaign"] };
    assert.equal((await own.api("POST", "/v1/transports", { key, body })).status, 201);
    const list = await own.api("POST", "/v1/lists", {
      key,
      body: { name: "L", from_email: "a@b.example", postal_address: "1" },
    });
    await own.api("POST", "/v1/subscribers", {
      key,
      body: { email: "ada@example.com", list_id: list.body.id },
    });
    const campaign = { name: "n", list_id: list.body.id, subject: "s", html: "<p>x</p>" };
    const made = await own.api("POST", "/v1/campaigns", { key, body: campaign });
    const reply = await own.api("POST", `/v1/campaigns/${made.body.id}/send`, { key });
    assert.deepEqual([reply.status, reply.body.code], [422, "unsubscribe_not_served"], reply.text);
  });

  it("test mail and previews are made all the same, and the sandbox sends", async () => {
    const { id } = await makeCampaign(app, listId);
    assert.equal((await act(app, id, "preview", {})).status, 200);
    assert.equal((await act(app, id, "test", { to: ["ada@example.com"] })).status, 202);
    assert.equal((await act(sandbox, id, "send")).status, 202);
    await until(async () => (await readCampaign(sandbox, id))["status"] === "sent");
  });

  it("when its time comes, a scheduled one fails with that reason", async () => {
    // This app needs a database of its own, or the sandbox's schedule would send the campaign.
    const settings = { SMTP_URL: RELAY, PUBLIC_URL: PUBLIC };
    const serving = await createApp({ settings: { ...settings, ROLES: "api" }, served: WITH_UNSUBSCRIBE });
    const { databaseUrl } = serving;
    const firing = await createApp({
      databaseUrl,
      settings: { ...settings, ROLES: "api,jobs" },
      served: NOT_SERVED,
    });
    try {
      const list = await makeList(serving, {
        from_email: "news@acme.example",
        postal_address: "1 High Street",
      });
      await addSubscriber(serving, list, "ada@example.com");
      const { id } = await makeCampaign(serving, list);
      const send_at = new Date(Date.now() + 1_000).toISOString();
      assert.equal((await act(serving, id, "schedule", { send_at })).status, 200);
      await until(async () => (await readCampaign(serving, id))["status"] === "failed");
      assert.equal((await readCampaign(serving, id))["status_reason"], "unsubscribe_not_served");
      const { events } = await eventsSince(serving);
      const failed = events.find(({ type }) => type === "campaign.failed");
      assert.equal(failed?.["data"].reason, "unsubscribe_not_served");
    } finally {
      await firing.stop();
      await serving.stop();
    }
  });
});

describe("where recipients can't reach PUBLIC_URL", () => {
  it("a launch is 422, unless the mail stays inside as well", async () => {
    const closed = await appWith(
      { SMTP_URL: RELAY, PUBLIC_URL: "http://192.168.1.5:4000" },
      WITH_UNSUBSCRIBE,
    );
    const { id } = await makeCampaign(closed, listId);
    const reply = await act(closed, id, "send");
    assert.deepEqual([reply.status, reply.body.code], [422, "public_url_not_reachable"], reply.text);
    const unset = await appWith({ SMTP_URL: RELAY }, WITH_UNSUBSCRIBE);
    assert.equal((await act(unset, id, "send")).body.code, "public_url_not_reachable");
    const inside = await appWith({ SMTP_URL: RELAY, INTERNAL_HOSTS: "relay.example.com" }, WITH_UNSUBSCRIBE);
    const { body } = await inside.api("GET", `/v1/campaigns/${id}/checks`);
    assert.deepEqual([body.blocks_send, codes(body.checks)[0]], [false, "public_url_not_reachable warning"]);
    const world = await appWith({ SMTP_URL: RELAY, PUBLIC_URL: PUBLIC }, WITH_UNSUBSCRIBE);
    assert.deepEqual(
      (await world.api("GET", `/v1/campaigns/${id}/checks`)).body.checks.filter((one: Json) =>
        /public_url/.test(one["code"]),
      ),
      [],
    );
    assert.equal((await act(world, id, "send")).status, 202);
    await act(world, id, "cancel");
  });

  it("plain http, and a probe that failed, are warnings", async () => {
    const app = await appWith({ SMTP_URL: RELAY, PUBLIC_URL: "http://mail.example.com" }, WITH_UNSUBSCRIBE);
    const { id } = await makeCampaign(app, listId);
    await app.db.execute(sql`
      insert into public_probe (url, probed_at, ok, reason) values ('http://mail.example.com', now(), false, 'another answered, with 403')
      on conflict (only_row) do update set url = excluded.url, ok = false, reason = excluded.reason`);
    const { body } = await app.api("GET", `/v1/campaigns/${id}/checks`);
    const found = codes(body.checks);
    assert.ok(found.includes("public_url_plain_http warning"), String(found));
    assert.ok(found.includes("public_url_probe_failed warning"), String(found));
    assert.equal(body.blocks_send, false);
  });
});

async function serve(t: { after(work: () => void): void }, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe("the probe", () => {
  it("knows us by our key, and nobody else", async (t) => {
    assert.deepEqual(await askProbe(sandbox.baseUrl, secrets, 2_000), { kind: "ours" });
    const others = createSecrets(["the secret key of another Postrider, 32 characters"]);
    assert.deepEqual(await askProbe(sandbox.baseUrl, others, 2_000), {
      kind: "other",
      status: 200,
      location: null,
    });
    const captive = await serve(t, (_request, response) => void response.end("<h1>Please sign in</h1>"));
    assert.deepEqual(await askProbe(captive, secrets, 2_000), { kind: "other", status: 200, location: null });
    const wall = await serve(t, (request, response) => {
      response.writeHead(request.method === "GET" ? 200 : 403).end();
    });
    assert.deepEqual(await askProbe(wall, secrets, 2_000), { kind: "other", status: 403, location: null });
    // A client that followed this redirect would come here with a GET, or with the body of the POST gone.
    const moved = await serve(t, (_request, response) => {
      response.writeHead(307, { location: `${sandbox.baseUrl}/u/probe` }).end();
    });
    assert.deepEqual(await askProbe(moved, secrets, 2_000), {
      kind: "other",
      status: 307,
      location: `${sandbox.baseUrl}/u/probe`,
    });
  });

  it("ends when nobody answers, or too much is answered, and names why", async (t) => {
    const silent = await serve(t, () => undefined);
    assert.deepEqual(await askProbe(silent, secrets, 200), {
      kind: "none",
      reason: "no answer within 0.2 s",
    });
    const endless = await serve(t, (_request, response) => {
      const timer = setInterval(() => response.write("x".repeat(10_000)), 1);
      response.on("close", () => clearInterval(timer));
    });
    assert.deepEqual(await askProbe(endless, secrets, 5_000), { kind: "other", status: 200, location: null });
    const plain = await serve(t, (_request, response) => void response.end());
    const untrusted = await askProbe(plain.replace("http:", "https:"), secrets, 2_000);
    assert.ok(untrusted.kind === "none" && /SSL|TLS|ECONN/.test(untrusted.reason), JSON.stringify(untrusted));
  });

  it("is all that is answered under /u/, and only to what it asks for", async () => {
    const post = (path: string, body: string, type = "application/x-www-form-urlencoded") =>
      fetch(sandbox.baseUrl + path, { method: "POST", body, headers: { "content-type": type } });
    const nonce = "n".repeat(32);
    const good = `List-Unsubscribe=One-Click&nonce=${nonce}`;
    const answered = await post("/u/probe", good);
    assert.equal(answered.status, 200);
    assert.equal(await answered.text(), secrets.mac("public-probe", nonce).toString("base64url"));
    assert.equal(answered.headers.get("cache-control"), "no-store");
    assert.equal((await post("/u/probe", `nonce=${nonce}`)).status, 400);
    assert.equal((await post("/u/probe", "List-Unsubscribe=One-Click&nonce=short")).status, 400);
    assert.equal((await post("/u/probe", `${good}&more=${"x".repeat(2_000)}`)).status, 413);
    assert.equal((await post("/u/probe", "<x/>", "text/xml")).status, 415);
    assert.equal((await post("/u/some-token", good)).status, 404);
    assert.equal((await fetch(`${sandbox.baseUrl}/u/probe`)).status, 404);
    const many = await Promise.all(Array.from({ length: 70 }, () => post("/u/probe", good)));
    assert.ok(many.some(({ status }) => status === 429));
  });

  it("is made by a job soon after the start, and what it found is kept", async () => {
    const app = await createApp({ settings: { ROLES: "api,public,jobs" } });
    const read = () => app.db.maybeOne<Json>(sql`select url, ok, reason from public_probe`);
    try {
      await until(async () => (await read()) !== undefined);
      assert.deepEqual(await read(), { url: app.baseUrl, ok: true, reason: null });
      const silent = `http://127.0.0.1:${await closedPort()}`;
      const job = probingJob(secrets, () => silent);
      const ctx = { db: app.db, clock: systemClock } as Parameters<typeof job.run>[0];
      await job.run(ctx, {});
      assert.deepEqual(await read(), { url: silent, ok: false, reason: "ECONNREFUSED" });
    } finally {
      await app.stop();
    }
  });
});
