/** Addresses are checked by their form, by a real DNS server and by lists; what the DNS said is kept for a while. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { removeOldDomains } from "../../src/recipient-domains/recipient-domains.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";

let app: TestApp;
let dns: DnsServer;
before(async () => {
  dns = await startDnsServer();
  const world = { exchange: "mx.relay.net", preference: 10 };
  dns.set("mx.relay.net", "A", ["93.184.216.34"]);
  dns.set("good.net", "MX", [world]);
  dns.set("workspace.net", "MX", [{ exchange: "aspmx.l.google.com", preference: 1 }]);
  dns.set("aspmx.l.google.com", "A", ["142.250.1.26"]);
  dns.set("old-style.net", "A", ["93.184.216.34"]);
  dns.set("silent-site.net", "TXT", ["no mail here"]);
  dns.set("refuses.net", "MX", [{ exchange: ".", preference: 0 }]);
  dns.set("inside.net", "MX", [{ exchange: "mx.inside.net", preference: 5 }]);
  dns.set("mx.inside.net", "A", ["10.0.0.7"]);
  dns.set("dangling.net", "MX", [{ exchange: "gone.dangling.net", preference: 5 }]);
  dns.set("loop.net", "MX", [{ exchange: "loop.net", preference: 5 }]);
  dns.set(
    "many.net",
    "MX",
    Array.from({ length: 400 }, (_, at) => ({ exchange: `m${at}.relay.net`, preference: at })),
  );
  dns.set("broken.net", "MX", [world]);
  dns.misbehave("broken.net", "servfail");
  app = await createApp({ settings: { ROLES: "api", DNS_SERVERS: dns.address } });
});
after(async () => {
  await app.stop();
  await dns.close();
});

type Checked = {
  address: string;
  result: string;
  reasons: string[];
  suggestion: string | null;
  provider: string | null;
};

async function check(...addresses: readonly string[]): Promise<Checked[]> {
  const reply = await app.api("POST", "/v1/addresses/check", { body: { addresses } });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    reply.body.data.map((one: Checked) => one.address),
    addresses,
  );
  return reply.body.data;
}

const say = ({ result, reasons, suggestion, provider }: Checked) =>
  [result, ...reasons, ...(suggestion ? [suggestion] : []), ...(provider ? [`(${provider})`] : [])].join(" ");

describe("checking addresses", () => {
  it("says of each what is known, in the order given", async () => {
    const expected = {
      "ada@good.net": "ok",
      "Ada@GOOD.net": "ok",
      "ada@workspace.net": "ok (google)",
      "ada@old-style.net": "risky no_mx",
      "ada@silent-site.net": "bad no_mail_server",
      "ada@refuses.net": "bad null_mx",
      "ada@inside.net": "bad internal_mail_server",
      "ada@dangling.net": "bad no_mail_server",
      "ada@loop.net": "bad no_mail_server",
      "ada@many.net": "ok",
      "ada@nowhere.net": "bad no_such_domain",
      "ada@broken.net": "unknown dns_failed",
      "sales@good.net": "risky role",
      "ada at good.net": "bad syntax",
      "ada@example.com": "bad reserved_domain",
      "ada@gnail.com": "bad no_such_domain typo ada@gmail.com",
      "": "bad syntax",
    };
    const checked = await check(...Object.keys(expected));
    assert.deepEqual(checked.map(say), Object.values(expected));
  });

  it("asks the DNS once, and keeps what it said", async () => {
    await check("ada@good.net");
    const before = dns.queries.length;
    assert.deepEqual((await check("eve@good.net", "bob@good.net")).map(say), ["ok", "ok"]);
    assert.equal(dns.queries.length, before);
  });

  it("holds on to what was known while nobody answers, and doesn't keep silence", async () => {
    await app.db.execute(
      sql`update recipient_domains set fresh_until = now() - interval '1 day' where name = 'good.net'`,
    );
    dns.misbehave("good.net", "servfail");
    assert.deepEqual((await check("ada@good.net")).map(say), ["ok"]);
    await app.db.execute(
      sql`update recipient_domains set fresh_until = now() - interval '40 days' where name = 'good.net'`,
    );
    assert.deepEqual((await check("ada@good.net")).map(say), ["unknown dns_failed"]);
    dns.misbehave("good.net", null);
    assert.deepEqual((await check("ada@good.net")).map(say), ["ok"]);
    assert.equal((await app.db.many(sql`select from recipient_domains where name = 'broken.net'`)).length, 0);
  });

  it("forgets what nobody asked about for a month", async () => {
    await check("ada@workspace.net", "ada@good.net");
    await app.db.execute(
      sql`update recipient_domains set fresh_until = now() - interval '31 days' where name = 'workspace.net'`,
    );
    await removeOldDomains(app.db, new Date());
    const left = await app.db.many<{ name: string }>(sql`select name from recipient_domains`);
    assert.ok(left.some(({ name }) => name === "good.net"));
    assert.ok(!left.some(({ name }) => name === "workspace.net"));
  });

  it("takes 100 at once, and refuses more, other types and nothing", async () => {
    const many = Array.from({ length: 100 }, (_, at) => `person${at}@nowhere${at}.net`);
    assert.equal((await check(...many)).filter(({ result }) => result === "bad").length, 100);
    for (const body of [{ addresses: [...many, "ada@good.net"] }, { addresses: [] }, { addresses: [1] }, {}])
      assert.equal((await app.api("POST", "/v1/addresses/check", { body })).status, 422);
    const hostile = [
      "\u0001@good.net",
      "a@\u202Egood.net",
      `a@${"x".repeat(900)}`,
      "a@-.net",
      "a@[127.0.0.1]",
      "a@😀.net",
    ];
    for (const one of await check(...hostile))
      assert.ok(["bad", "ok"].includes(one.result), JSON.stringify(one));
  });

  it("looks up two checks of an account at once, lets eight wait and answers the others with 429", async () => {
    dns.misbehave("sleepy.net", "silence");
    const replies = await Promise.all(
      Array.from({ length: 12 }, () =>
        app.api("POST", "/v1/addresses/check", { body: { addresses: ["a@sleepy.net"] } }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429, 429]);
  });
});

it("providers are listed with what they are known by", async () => {
  const reply = await app.api("GET", "/v1/providers");
  assert.equal(reply.status, 200, reply.text);
  const google = reply.body.data.find((one: { key: string }) => one.key === "google");
  assert.deepEqual(google.domains, ["gmail.com", "googlemail.com"]);
  assert.ok(google.servers.includes("google.com"));
});
