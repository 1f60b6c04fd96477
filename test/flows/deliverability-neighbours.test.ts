/** What one account asks of limits, orders, providers and addresses: never what belongs to another, and nothing by numbers that make no sense. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openDay } from "../../src/delivery/warmup/day-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { addCountedDays } from "../support/reputation.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";

const STRANGE_IDS = [
  "trn_",
  "trn_01k9zq4t3xe8k8y0v6d3m2n1pq",
  "x",
  "%00",
  "..%2f..%2fkeys",
  `trn_${"0".repeat(400)}`,
];
const plan = { start_per_day: 200, growth: 1.5, target_per_day: 50_000 };

describe("a neighbour", () => {
  let app: TestApp;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  /** Of the account that has a transport, a plan and mail behind it. */
  let theirs: string;
  let key: string;
  let own: string;
  before(async () => {
    dns = await startDnsServer();
    app = await createApp({ settings: { ROLES: "api", DNS_SERVERS: dns.address } });
    theirs = await addTransport();
    const { accountId, key: other } = await app.addAccount();
    key = other;
    own = await addTransport(key);
    assert.notEqual(accountId, app.accountId);
    assert.equal((await app.api("PUT", `/v1/transports/${theirs}/warmup`, { body: plan })).status, 200);
    const day = systemClock.now().toISOString().slice(0, 10);
    const place = { accountId: uuidOf("acc", app.accountId), transportId: uuidOf("trn", theirs), day };
    await openDay(app.db, place, ["google"]);
    await addCountedDays(app.db, uuidOf("acc", app.accountId), 5, [
      { provider: "google", fromDomain: "secret.example", perDay: 100 },
    ]);
  });
  after(async () => {
    await app.stop();
    await dns.close();
  });

  async function addTransport(of?: string): Promise<string> {
    const body = { name: "Relay", host: "smtp.example.com", streams: ["campaign"] };
    const made = await app.api("POST", "/v1/transports", { body, ...(of && { key: of }) });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  const ask = (method: string, path: string, body?: unknown) =>
    app.api(method, path, { key, ...(body !== undefined && { body }) });
  const stateOfTheirs = async () => ({
    plan: (await app.api("GET", `/v1/transports/${theirs}/warmup`)).body,
    pools: (await app.api("GET", "/v1/transport_pools")).body,
    transport: (await app.api("GET", `/v1/transports/${theirs}`)).body,
  });

  it("finds no plan of others, and none by an id that is none, whatever it asks", async () => {
    const before = await stateOfTheirs();
    for (const id of [theirs, ...STRANGE_IDS]) {
      const path = `/v1/transports/${id}/warmup`;
      const asked = [
        ask("GET", path),
        ask("PUT", path, plan),
        ask("DELETE", path),
        ask("POST", `${path}/pause`),
        ask("POST", `${path}/resume`),
      ];
      for (const { status, text } of await Promise.all(asked)) {
        assert.equal(status, 404, `${id}: ${text}`);
        assert.ok(!text.includes("google"), text);
      }
    }
    assert.deepEqual(await stateOfTheirs(), before);
  });

  it("puts no server of others into an order, and sees none in theirs", async () => {
    const before = await stateOfTheirs();
    for (const id of [theirs, "trn_01k9zq4t3xe8k8y0v6d3m2n1pq"]) {
      const refused = await ask("PUT", "/v1/transport_pools/campaign", { transports: [own, id] });
      assert.equal(refused.status, 422, refused.text);
      const [fault] = refused.body.errors;
      assert.deepEqual([fault.pointer, fault.code], ["/transports/1", "not_found"]);
    }
    const pools = await ask("GET", "/v1/transport_pools");
    assert.ok(!pools.text.includes(theirs) && pools.text.includes(own));
    assert.equal((await ask("GET", "/v1/transport_pools/nobody")).status, 404);
    assert.deepEqual(await stateOfTheirs(), before);
  });

  it("counts nothing of others, by their transport, their domain or neither", async () => {
    const path = "/v1/deliverability/providers";
    const foreign = await ask("GET", `${path}?transport_id=${theirs}`);
    assert.equal(foreign.status, 400, foreign.text);
    assert.deepEqual(
      [foreign.body.errors[0].parameter, foreign.body.errors[0].code],
      ["transport_id", "not_found"],
    );
    for (const query of ["", "?domain=secret.example", "?provider=google", "?interval=month"]) {
      const { status, body, text } = await ask("GET", `${path}${query}`);
      assert.equal(status, 200, text);
      assert.deepEqual([body.data, body.senders], [[], []]);
      assert.ok(!text.includes("secret"), text);
    }
  });

  it("reads the same table of providers as everybody, with no account's data in it", async () => {
    const [ours, other] = await Promise.all([ask("GET", "/v1/providers"), app.api("GET", "/v1/providers")]);
    assert.equal(ours.status, 200);
    assert.deepEqual(ours.body, other.body);
    assert.ok(!ours.text.includes("secret.example"));
    assert.equal((await app.api("GET", "/v1/providers", { key: null })).status, 401);
  });

  it("learns of an address nothing but what the DNS says of its domain, though another has it as a subscriber", async () => {
    const list = await app.api("POST", "/v1/lists", { body: { name: "Readers" } });
    const email = "known@kept.net";
    dns.set("kept.net", "MX", [{ exchange: "mx.kept.net", preference: 1 }]);
    dns.set("mx.kept.net", "A", ["93.184.216.34"]);
    const added = await app.api("POST", "/v1/subscribers", { body: { list_id: list.body.id, email } });
    assert.equal(added.status, 201, added.text);
    const checked = await ask("POST", "/v1/addresses/check", { addresses: [email, "unknown@kept.net"] });
    const [known, unknown] = checked.body.data.map(({ address, ...rest }: Json) => rest);
    assert.deepEqual(known, unknown);
    assert.equal(known.result, "ok");
  });

  it("is refused by what each may do, before anything is looked up", async () => {
    const none = await app.addKey(["campaigns:read"]);
    for (const [method, path, body] of [
      ["GET", `/v1/transports/${theirs}/warmup`, undefined],
      ["PUT", `/v1/transports/${theirs}/warmup`, plan],
      ["GET", "/v1/transport_pools", undefined],
      ["PUT", "/v1/transport_pools/campaign", { transports: [] }],
      ["GET", "/v1/deliverability/providers", undefined],
      ["GET", "/v1/providers", undefined],
      ["POST", "/v1/addresses/check", { addresses: ["a@asked-by-nobody.net"] }],
    ] as const) {
      const { status, text } = await app.api(method, path, { key: none, ...(body && { body }) });
      assert.equal(status, 403, `${method} ${path} ${text}`);
    }
    assert.ok(dns.queries.every(({ name }) => name !== "asked-by-nobody.net"));
  });

  it("gets by numbers that make no sense, and by a flood of them, a refusal and nothing else", async () => {
    const path = `/v1/transports/${own}/warmup`;
    const numbers = [
      -1,
      0,
      0.5,
      1e308,
      Number.MAX_SAFE_INTEGER,
      "200",
      [],
      {},
      true,
      null,
      "9".repeat(10_000),
    ];
    for (const wrong of numbers)
      for (const field of ["start_per_day", "target_per_day", "growth"]) {
        const refused = await ask("PUT", path, { ...plan, [field]: wrong });
        assert.equal(refused.status, 422, `${field} ${JSON.stringify(wrong)?.slice(0, 40)}: ${refused.text}`);
      }
    for (const raw of [
      '{"start_per_day": NaN}',
      '{"growth": 1e999}',
      '{"growth": Infinity}',
      "[]",
      "null",
      '"x"',
    ])
      assert.ok([400, 422].includes((await sendRaw("PUT", path, raw)).status), raw);
    assert.equal((await ask("GET", path)).status, 404, "none of them was taken");

    const order = "/v1/transport_pools/campaign";
    const many = Array.from({ length: 10_000 }, (_, at) =>
      toPublicId("trn", `01890000-0000-7000-8000-${String(at).padStart(12, "0")}`),
    );
    for (const transports of [
      many,
      [own, own],
      ["x".repeat(100_000)],
      [1],
      "instance",
      null,
      [["instance"]],
      ["instance", own],
    ])
      assert.equal((await ask("PUT", order, { transports })).status, 422);
    assert.deepEqual((await ask("GET", order)).body.transports, [own]);

    const addresses = [
      `${"a".repeat(60)}@${"b.".repeat(400)}net`,
      "\u0001@a.net",
      `a@${"é".repeat(500)}.net`,
    ];
    const checked = await ask("POST", "/v1/addresses/check", { addresses });
    assert.deepEqual(
      checked.body.data.map(({ result }: Json) => result),
      ["bad", "bad", "bad"],
    );
    for (const one of ["a".repeat(1_001), "\u0000@a.net"])
      assert.equal((await ask("POST", "/v1/addresses/check", { addresses: [one] })).status, 422);
    const flood = { addresses: Array.from({ length: 200_000 }, () => "a@flood.net") };
    assert.ok([413, 422].includes((await ask("POST", "/v1/addresses/check", flood)).status));
    assert.ok(dns.queries.every(({ name }) => name !== "flood.net"));

    for (const query of [
      "from=0000-00-00",
      "from=2026-13-01",
      "from=20260101",
      "from=2026-01-01&from=2026-01-02",
      `domain=${"x".repeat(300)}`,
      `provider=${"x".repeat(65)}`,
      "provider=__proto__",
      "provider=%00",
      "domain=%00",
      "interval=second",
      "limit=1e9",
      "transport_id=trn_x",
    ]) {
      const { status, text } = await ask("GET", `/v1/deliverability/providers?${query}`);
      assert.equal(status, 400, `${query}: ${text}`);
    }
    assert.equal((await ask("GET", "/v1/deliverability/providers?domain=%27%3B--")).status, 200);
    const { kept } = await app.db.one<{ kept: number }>(sql`
      select count(*) as kept from recipient_domains where length(name) > 253`);
    assert.equal(kept, 0);
  });

  async function sendRaw(method: string, path: string, body: string) {
    return fetch(`${app.baseUrl}${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  }
});
