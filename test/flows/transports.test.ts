/** These tests use the transports of accounts, through the API and against a relay that isn't ours. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SERVED } from "../../src/app.ts";
import { prepareFor, sendCampaign } from "../../src/campaigns/campaigns.ts";
import { startContentWorkers } from "../../src/content/content.ts";
import { resealPasswords } from "../../src/delivery/delivery.ts";
import { readTransport, transportFor } from "../../src/delivery/transports/transports.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, type Reply, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, endSource, makeAudience, makeCampaign } from "../support/campaigns.ts";
import { UNSIGNED } from "../support/signing.ts";
import { type Relay, relayUser, startRelay } from "../support/smtp/relay.ts";
import { type Json, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const KEY = "a secret key for tests of 32 characters or more";
const NEW_KEY = "another secret key, of 32 characters or more";
const SECRET = relayUser.password;
const LIMITS = { threads: 1, compileTimeoutMs: 20_000, renderTimeoutMs: 5_000, memoryMb: 128 };

let app: TestApp;
let relay: Relay;
before(async () => {
  relay = await startRelay({ hideSMTPUTF8: true });
  app = await createApp({
    settings: { ROLES: "api,jobs", INTERNAL_HOSTS: "127.0.0.1" },
    served: WITH_UNSUBSCRIBE,
  });
});
after(async () => {
  await app.stop();
  await relay.close();
});

function post(body: Json, key = app.key): Promise<Reply> {
  return app.api("POST", "/v1/transports", { body, key });
}

async function make(more: Json = {}): Promise<Json> {
  const reached = { host: "127.0.0.1", port: relay.port, verify_certificate: false, ...relayUser };
  const made = await post({ name: "Our relay", ...reached, ...more });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function test(id: string, body?: Json): Promise<Json> {
  const reply = await app.api("POST", `/v1/transports/${id}/test`, body && { body });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(!reply.text.includes(SECRET), reply.text);
  return reply.body;
}

const patch = (id: string, body: Json, headers = {}) =>
  app.api("PATCH", `/v1/transports/${id}`, { body, headers });
const codesOf = (reply: Reply) =>
  reply.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`).join(", ");

it("tells how campaigns leave: into the sandbox, or by the account's own server", async () => {
  const { key } = await app.addAccount();
  const sending = async () => (await app.api("GET", "/v1/sending", { key })).body;
  assert.deepEqual(await sending(), {
    object: "sending",
    leaves_by: "sandbox",
    host: null,
    rate_per_second: null,
    has_instance_server: false,
    closings: [],
    checks: [],
  });
  const ours = { name: "Ours", host: "smtp.example.com", streams: ["campaign"], rate_per_second: 2.5 };
  const made = await post(ours, key);
  assert.equal(made.status, 201, made.text);
  const { leaves_by, host, rate_per_second, checks } = await sending();
  assert.deepEqual([leaves_by, host, rate_per_second], ["transport", "smtp.example.com", 2.5]);
  // The look from outside is a timer's work, which may have come and failed meanwhile, and then says so beside it.
  const codes = checks
    .map(({ code }: Json) => code)
    .filter((code: string) => code !== "public_url_probe_failed");
  assert.deepEqual(
    codes,
    ["public_url_not_reachable", "no_bounce_path"],
    "a server in the world needs an address in the world, and a way back from it",
  );
});

describe("a transport", () => {
  it("is made with defaults, found, listed and deleted", async () => {
    const made = await post({ name: "Plain", host: "smtp.example.com" });
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, updated_by, ...rest } = made.body;
    assert.equal(updated_by.kind, "api_key");
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/transports/${id}`);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      object: "transport",
      name: "Plain",
      host: "smtp.example.com",
      port: 587,
      tls: "required",
      verify_certificate: true,
      username: null,
      has_password: false,
      ehlo_name: null,
      max_connections: 10,
      rate_per_second: null,
      max_per_day: null,
      has_warmup: false,
      streams: [],
      closings: [],
      out: null,
      last_test: null,
    });
    assert.deepEqual((await app.api("GET", `/v1/transports/${id}`)).body, made.body);
    const listed = await app.api("GET", "/v1/transports?limit=1&include_total=true");
    assert.equal(listed.body.data[0].id, id);
    assert.equal(typeof listed.body.total, "number");
    assert.equal((await app.api("DELETE", `/v1/transports/${id}`)).status, 204);
    assert.equal((await app.api("GET", `/v1/transports/${id}`)).status, 404);
    const implicit = await post({ name: "Implicit", host: "smtp.example.com", tls: "implicit" });
    assert.equal(implicit.body.port, 465);
  });

  it("is listed in pages, newest first", async () => {
    const ids = [];
    for (const name of ["a", "b", "c"]) ids.unshift((await make({ name })).id);
    const first = await app.api("GET", "/v1/transports?limit=2");
    const second = await app.api("GET", `/v1/transports?limit=1&cursor=${first.body.next_cursor}`);
    assert.deepEqual(
      [...first.body.data, ...second.body.data].map((one: Json) => one["id"]),
      ids,
    );
  });

  it("never shows its password: not in an answer, an event, the log or the table", async () => {
    const { id } = await make();
    await patch(id, { password: `${SECRET} again` });
    await settled(app);
    const shown = [
      (await app.api("GET", `/v1/transports/${id}`)).text,
      (await app.api("GET", "/v1/transports")).text,
      (await app.api("GET", "/v1/events?limit=200")).text,
      app.logs.join("\n"),
    ].join("\n");
    assert.ok(!shown.includes(SECRET) && !shown.includes(Buffer.from(SECRET).toString("base64")));
    const rows = await app.db.many<{ text: string }>(sql`select t::text as text from transports t`);
    assert.ok(
      !rows.some(({ text }) => text.includes(Buffer.from(SECRET).toString("hex")) || text.includes(SECRET)),
    );
  });

  it("belongs to its account alone", async () => {
    const { id } = await make();
    const { key } = await app.addAccount();
    const asTheirs = (method: string, path: string, body?: Json) =>
      app.api(method, path, { key, ...(body && { body }) });
    assert.equal((await asTheirs("GET", `/v1/transports/${id}`)).status, 404);
    assert.equal((await asTheirs("PATCH", `/v1/transports/${id}`, { name: "Mine" })).status, 404);
    assert.equal((await asTheirs("POST", `/v1/transports/${id}/test`)).status, 404);
    assert.equal((await asTheirs("DELETE", `/v1/transports/${id}`)).status, 404);
    assert.deepEqual((await asTheirs("GET", "/v1/transports")).body.data, []);
  });

  it("has an ETag that a change of anything moves, the password too", async () => {
    const { id } = await make();
    const read = await app.api("GET", `/v1/transports/${id}`);
    const etag = String(read.headers.get("etag"));
    assert.equal((await patch(id, { name: "Same" }, { "if-match": etag })).status, 200);
    assert.equal((await patch(id, { name: "Lost" }, { "if-match": etag })).status, 412);
    const again = String((await patch(id, { name: "Same" })).headers.get("etag"));
    assert.equal((await patch(id, { password: SECRET })).headers.get("etag"), again, "the same password");
    assert.notEqual((await patch(id, { password: "another" })).headers.get("etag"), again);
  });

  it("tells what became of it, by its id alone", async () => {
    const { id } = await make();
    await patch(id, { name: "Renamed", password: "another" });
    await app.api("DELETE", `/v1/transports/${id}`);
    let told: Json[] = [];
    // A transaction in any database of the same server holds events back for a moment.
    await until(async () => {
      const { body } = await app.api("GET", "/v1/events?limit=200");
      told = body.data.filter((one: Json) => one["data"].transport_id === id);
      return told.length >= 3;
    });
    assert.deepEqual(told.map(({ type, data }: Json) => [type, data.changed]).toReversed(), [
      ["transport.created", undefined],
      ["transport.updated", ["name", "password"]],
      ["transport.deleted", undefined],
    ]);
    assert.ok(!JSON.stringify(told).includes("127.0.0.1"));
  });
});

describe("what a transport may not be", () => {
  const wrong: [what: string, body: Json, codes: string][] = [
    ["a host that is none", { host: "ma il" }, "/host invalid_host"],
    ["a host with a port", { host: "smtp.example.com:25" }, "/host invalid_host"],
    ["this machine, as IPv6", { host: "::1" }, "/host internal_host"],
    ["the cloud's metadata", { host: "169.254.169.254" }, "/host internal_host"],
    ["a private network", { host: "10.0.0.1" }, "/host internal_host"],
    ["another service's port", { port: 22 }, "/port invalid_port"],
    ["a user without a password", { username: "me" }, "/password required"],
    ["a password without a user", { password: "hunter2" }, "/username required"],
    [
      "several at once",
      { host: "", port: 80, username: "me" },
      "/host invalid_host, /port invalid_port, /password required",
    ],
  ];
  for (const [what, body, codes] of wrong) {
    it(what, async () => {
      const reply = await post({ name: "Wrong", host: "smtp.example.com", ...body });
      assert.equal(reply.status, 422, reply.text);
      assert.equal(codesOf(reply), codes);
      assert.ok(!reply.text.includes("hunter2"));
    });
  }

  it("sent elsewhere with a password that whoever moves it doesn't know", async () => {
    const { id } = await make();
    for (const body of [
      { host: "evil.example" },
      { port: 2525 },
      { tls: "never" },
      { tls: "opportunistic" },
    ]) {
      const moved = await patch(id, body);
      assert.deepEqual([moved.status, codesOf(moved)], [422, "/password required"], JSON.stringify(body));
    }
    assert.equal((await patch(id, { host: "mail.example.com", password: SECRET })).status, 200);
    assert.equal((await patch(id, { host: "evil.example", username: null, password: null })).status, 200);
  });
});

describe("a stream", () => {
  it("has one transport: given to another it is taken from the first, and falls back when that is deleted", async () => {
    const one = await make({ streams: ["transactional", "campaign"] });
    assert.deepEqual(one["streams"], ["campaign", "transactional"]);
    const other = await make({ streams: ["campaign"] });
    const streamsOf = async (id: string) => (await app.api("GET", `/v1/transports/${id}`)).body.streams;
    assert.deepEqual(
      [await streamsOf(one["id"]), await streamsOf(other["id"])],
      [["transactional"], ["campaign"]],
    );
    assert.deepEqual(
      (await app.api("GET", "/v1/transports?stream=campaign&include_total=true")).body.data.map(
        (row: Json) => row["id"],
      ),
      [other["id"]],
    );
    const accountId = uuidOf("acc", app.accountId);
    assert.equal((await transportFor(app.db, accountId, "campaign", false)).id, uuidOf("trn", other["id"]));
    assert.equal((await transportFor(app.db, accountId, "automation", false)).id, uuidOf("trn", other["id"]));
    await patch(one["id"], { streams: [] });
    assert.deepEqual(await streamsOf(one["id"]), []);
    assert.equal((await app.api("DELETE", `/v1/transports/${other["id"]}`)).status, 204);
    for (const stream of ["campaign", "transactional", "automation"] as const) {
      assert.equal(
        (await transportFor(app.db, accountId, stream, false)).id,
        "00000000-0000-0000-0000-000000000000",
      );
    }
  });

  it("keeps its transport from being deleted while a campaign on its way uses it", async () => {
    const { id } = await make({ streams: ["campaign"] });
    const listId = await makeAudience(app);
    const { id: campaignId } = await makeCampaign(app, listId, { from_email: "news@example.org" });
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { postal_address: "1 High Street" } });
    assert.equal((await act(app, campaignId, "send")).status, 202);
    const { transport_id } = await app.db.one<{ transport_id: string }>(
      sql`select transport_id from sources where id = ${uuidOf("cmp", campaignId)}`,
    );
    assert.equal(transport_id, uuidOf("trn", id));
    for (const action of ["pause", "resume"]) {
      await act(app, campaignId, action);
      const refused = await app.api("DELETE", `/v1/transports/${id}`);
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.campaigns],
        [409, "transport_in_use", 1],
      );
    }
    await act(app, campaignId, "cancel");
    assert.equal((await app.api("DELETE", `/v1/transports/${id}`)).status, 204);
  });

  it("is looked at anew when a campaign that failed is sent again, also for what was planned before", async () => {
    const first = await make({ streams: ["campaign"] });
    const listId = await makeAudience(app);
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { postal_address: "1 High Street" } });
    const { id: campaignId } = await makeCampaign(app, listId, { from_email: "news@example.org" });
    const sourceId = uuidOf("cmp", campaignId);
    const leavesBy = async () => {
      const rows = await app.db.many<{ transport_id: string }>(sql`
        select transport_id from batches where source_id = ${sourceId}
        union all select transport_id from sources where id = ${sourceId}`);
      return rows.map((row) => row.transport_id);
    };
    assert.equal((await act(app, campaignId, "send")).status, 202);
    await until(async () => (await leavesBy()).length === 2);
    await endSource(app, campaignId, { kind: "failed", reason: "test" });
    const second = await make({ streams: ["campaign"] });
    assert.equal((await app.api("DELETE", `/v1/transports/${first["id"]}`)).status, 204);
    assert.equal((await act(app, campaignId, "send")).status, 202);
    const id = uuidOf("trn", second["id"]);
    assert.deepEqual(await leavesBy(), [id, id]);
    await act(app, campaignId, "cancel");
    assert.equal((await app.api("DELETE", `/v1/transports/${second["id"]}`)).status, 204);
  });

  it("given to a transport between check and launch stops what was checked for the sandbox", async () => {
    const { id: campaignId } = await makeCampaign(app, await makeAudience(app));
    const workers = startContentWorkers(LIMITS);
    const publicUrl = () => app.baseUrl;
    const tools = {
      workers,
      publicUrl,
      inboundDomain: undefined,
      hasBouncePath: async () => true,
      relayHost: undefined,
      internalHosts: [],
      served: SERVED,
      signing: UNSIGNED,
      unverifiedSenders: "warn" as const,
    };
    const actor = { kind: "system", id: null } as const;
    const log = createLog({ level: "silent", pretty: false });
    const ctx = { sql: app.db, accountId: uuidOf("acc", app.accountId), actor, clock: systemClock, log };
    const launch = await prepareFor(ctx, tools, uuidOf("cmp", campaignId), "send").finally(() =>
      workers.close(),
    );
    const { id } = await make({ streams: ["campaign"] });
    const sending = app.db.transaction((tx) =>
      sendCampaign({ ...ctx, sql: tx }, uuidOf("cmp", campaignId), launch, {}),
    );
    await assert.rejects(sending, /changed a moment ago/);
    await app.api("DELETE", `/v1/transports/${id}`);
  });

  it("of campaigns makes them ask for a sender, as the sandbox doesn't", async () => {
    const listId = await makeAudience(app);
    const { id: campaignId } = await makeCampaign(app, listId);
    const { id } = await make({ streams: ["campaign"] });
    const refused = await act(app, campaignId, "send");
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /missing_from/);
    await app.api("DELETE", `/v1/transports/${id}`);
    assert.equal((await act(app, campaignId, "send")).status, 202);
  });
});

describe("the test of a transport", () => {
  it("signs in, and says how long each step took", async () => {
    const { id } = await make();
    const found = await test(id);
    assert.deepEqual(
      [found["ok"], found["phase"], found["advice"], found["encrypted"]],
      [true, null, null, true],
      JSON.stringify(found),
    );
    assert.deepEqual(
      found["steps"].map((step: Json) => step["phase"]),
      ["connect", "greeting", "ehlo", "tls", "ehlo", "auth"],
    );
    const { last_test } = (await app.api("GET", `/v1/transports/${id}`)).body;
    assert.deepEqual([last_test.ok, last_test.tested_at], [true, found["tested_at"]]);
    assert.equal((await patch(id, { name: "Renamed" })).body.last_test.ok, true);
    assert.equal((await patch(id, { password: "another" })).body.last_test, null);
  });

  it("sends a small message where it is told to", async () => {
    const { id } = await make();
    const found = await test(id, { to: "ada@example.com", from: "news@example.org" });
    assert.deepEqual([found["ok"], found["to"]], [true, "ada@example.com"], JSON.stringify(found));
    const mail = relay.received.at(-1);
    assert.deepEqual(
      [mail?.from, mail?.to, mail?.user, mail?.secure],
      ["news@example.org", ["ada@example.com"], relayUser.username, true],
    );
    assert.match(mail?.body ?? "", /^Subject: Test of Our relay\r$/m);
    assert.equal((await test(id, { to: "ada@bücher.example" }))["ok"], true);
    // The address came with A-labels, because the relay lacks SMTPUTF8; the relay turns them back.
    assert.deepEqual(relay.received.at(-1)?.to, ["ada@bücher.example"]);
    const wrong = await app.api("POST", `/v1/transports/${id}/test`, { body: { to: "nobody" } });
    assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [422, "/to"]);
  });

  it("says that the password is wrong", async () => {
    const { id } = await make({ password: "zqx something else" });
    const found = await test(id);
    assert.deepEqual(
      [found["ok"], found["phase"], found["code"]],
      [false, "auth", 535],
      JSON.stringify(found),
    );
    assert.equal(found["encrypted"], true);
    assert.match(found["advice"], /refuses user name and password/);
    assert.ok(!JSON.stringify(found).includes("zqx something else"));
    const { last_test } = (await app.api("GET", `/v1/transports/${id}`)).body;
    assert.deepEqual([last_test.ok, last_test.phase, last_test.code], [false, "auth", 535]);
  });

  it("says that nobody signed the certificate, and what to do", async () => {
    const { id } = await make({ verify_certificate: true });
    const found = await test(id);
    assert.deepEqual(
      [found["ok"], found["phase"], found["code"]],
      [false, "tls", null],
      JSON.stringify(found),
    );
    assert.match(found["advice"], /verify_certificate/);
  });

  it("says that nothing listens there", async () => {
    const gone = await startRelay();
    await gone.close();
    const { id } = await make({ port: gone.port });
    const found = await test(id);
    assert.deepEqual([found["phase"], found["steps"].length], ["connect", 1]);
    assert.match(found["advice"], /Nothing listens/);
  });

  it("doesn't get inside by a name, nor by an address that is no longer listed", async () => {
    const named = await make({ host: "127.2" });
    const stored = await make();
    await app.db.execute(
      sql`update transports set host = '127.0.0.2' where id = ${uuidOf("trn", stored["id"])}`,
    );
    for (const id of [named["id"], stored["id"]]) {
      const found = await test(id, { to: "ada@example.com" });
      assert.deepEqual([found["ok"], found["phase"]], [false, "connect"], JSON.stringify(found));
      assert.match(found["text"], /EINTERNAL/);
      assert.match(found["advice"], /INTERNAL_HOSTS/);
    }
  });
});

describe("a stored password", () => {
  const accountId = () => uuidOf("acc", app.accountId);
  const read = (id: string, keys: readonly string[]) =>
    readTransport(app.db, createSecrets(keys), accountId(), uuidOf("trn", id), []);

  it("opens in its own row, and in no other", async () => {
    const [one, other] = [await make(), await make({ password: "another" })];
    const opened = await read(one["id"], [KEY]);
    assert.deepEqual(opened?.smtp.credentials, { user: relayUser.username, password: SECRET });
    await app.db.execute(sql`
      update transports set password = (select password from transports where id = ${uuidOf("trn", one["id"])})
      where id = ${uuidOf("trn", other["id"])}`);
    assert.equal(await read(other["id"], [KEY]), undefined);
    const found = await test(other["id"]);
    assert.deepEqual([found["ok"], found["phase"], found["steps"]], [false, "auth", []]);
    assert.match(found["advice"], /Enter the password again/);
  });

  it("outlasts a rotation of SECRET_KEY, and the old key once it was sealed anew", async () => {
    const { id } = await make();
    assert.ok(await read(id, [NEW_KEY, KEY]));
    assert.equal(await read(id, [NEW_KEY]), undefined);
    const rotated = createSecrets([NEW_KEY, KEY]);
    assert.ok((await resealPasswords(app.db, rotated)) > 0);
    assert.equal(await resealPasswords(app.db, rotated), 0);
    assert.deepEqual((await read(id, [NEW_KEY]))?.smtp.credentials, {
      user: relayUser.username,
      password: SECRET,
    });
    assert.equal((await read(id, [NEW_KEY]))?.version, 1);
    await resealPasswords(app.db, createSecrets([KEY, NEW_KEY]));
  });
});

describe("a campaign's test mail", () => {
  const isThere = (to: string) => relay.received.some((mail) => mail.to.includes(to));

  it("leaves by the account's transport", async () => {
    const { id } = await make({ streams: ["campaign"] });
    const listId = await makeAudience(app);
    const { id: campaignId } = await makeCampaign(app, listId, { from_email: "news@example.org" });
    const sent = await act(app, campaignId, "test", { to: ["one@example.com", "two@example.com"] });
    assert.equal(sent.status, 202, sent.text);
    await until(() => isThere("one@example.com") && isThere("two@example.com"));
    assert.equal(relay.received.at(-1)?.from, "news@example.org");
    const caught = await app.api("GET", "/v1/sandbox/messages?to=one@example.com");
    assert.deepEqual(caught.body.data, []);
    await app.api("DELETE", `/v1/transports/${id}`);
  });

  it("that is refused leaves neither a job behind nor its address in the log", async (t) => {
    const refusing = await startRelay({
      onRcptTo: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
        done(Object.assign(new Error("not zqxnobody@example.com"), { responseCode: 550 })),
    });
    t.after(() => refusing.close());
    const { id } = await make({ streams: ["campaign"], port: refusing.port });
    const { id: campaignId } = await makeCampaign(app, await makeAudience(app), {
      from_email: "news@example.org",
    });
    await act(app, campaignId, "test", { to: ["zqxnobody@example.com"] });
    await until(() => app.logs.some((line) => line.includes("a test message was not delivered")));
    await until(
      async () =>
        (await app.db.many(sql`select from graphile_worker.jobs where task_identifier = 'send_test'`))
          .length === 0,
    );
    assert.ok(!app.logs.join("\n").includes("zqxnobody"));
    await app.api("DELETE", `/v1/transports/${id}`);
  });

  it("leaves by SMTP_URL where the account has none", async (t) => {
    const url = `smtp://${relayUser.username}:${encodeURIComponent(SECRET)}@127.0.0.1:${relay.port}?verify=false`;
    const relayed = await createApp({ settings: { ROLES: "api,jobs", SMTP_URL: url } });
    t.after(() => relayed.stop());
    const { id } = await makeCampaign(relayed, await makeAudience(relayed), {
      from_email: "news@example.org",
    });
    assert.equal((await act(relayed, id, "test", { to: ["three@example.com"] })).status, 202);
    await until(() => isThere("three@example.com"));
    assert.ok(!relayed.logs.join("\n").includes(SECRET));
  });

  it("lands in the sandbox where there is neither", async () => {
    const { id } = await makeCampaign(app, await makeAudience(app));
    assert.equal((await act(app, id, "test", { to: ["four@example.com"] })).status, 202);
    const caught = await app.api("GET", "/v1/sandbox/messages?to=four@example.com");
    assert.equal(caught.body.data.length, 1);
  });
});

it("an SMTP_URL that can't be read stops the start, and is named and not quoted", async () => {
  const settings = { SMTP_URL: "smtp://me:hunter2@mail.example.com?pool=1" };
  await assert.rejects(createApp({ settings }), (error: Error) => {
    assert.match(error.message, /^SMTP_URL knows only these options/);
    return !error.message.includes("hunter2");
  });
});
