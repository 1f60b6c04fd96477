/** Forms ask about slips in addresses, and refuse what can't be reached where they are told to. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { hiddenOf, makeForm, sendForm, untilTaken } from "../support/forms.ts";
import { makeList } from "../support/subscribers.ts";

const AGREED = { "agree-to-mail": "yes" };
let app: TestApp;
let dns: DnsServer;
let listId: string;
let networks = 0;
const from = () => ({ "x-forwarded-for": `198.51.100.${++networks}` });

before(async () => {
  dns = await startDnsServer();
  dns.set("mx.relay.net", "A", ["93.184.216.34"]);
  dns.set("good.net", "MX", [{ exchange: "mx.relay.net", preference: 10 }]);
  dns.set("refuses.net", "MX", [{ exchange: ".", preference: 0 }]);
  dns.set("gnail.com", "MX", [{ exchange: "mx.relay.net", preference: 10 }]);
  dns.misbehave("broken.net", "servfail");
  dns.misbehave("silent.net", "silence");
  app = await createApp({ settings: { TRUST_PROXY: "1", DNS_SERVERS: dns.address } });
  listId = await makeList(app, { name: "The weekly letter" });
});
after(async () => {
  await app.stop();
  await dns.close();
});

async function isOnList(email: string): Promise<boolean> {
  await untilTaken(app);
  const query = new URLSearchParams({ email, list_id: listId });
  return (await app.api("GET", `/v1/subscribers/search?${query}`)).body.data.length === 1;
}

const send = async (formId: string, email: string, more: Record<string, string> = {}, headers = {}) =>
  sendForm(
    app,
    formId,
    { email, ...AGREED, ...(await hiddenOf(app, formId)), ...more },
    { ...from(), ...headers },
  );

const JSON_WANTED = { accept: "application/json" };

describe("a form", () => {
  test("asks about a slip, changes nothing by itself, and takes whoever insists", async () => {
    const form = await makeForm(app, listId, { locale: "en" });
    assert.equal(form.checks, "report");
    const asked = await send(form.id, "ada@gmial.com");
    assert.equal(asked.status, 422, asked.text);
    assert.match(asked.text, /Did you mean ada@gmail\.com\?/);
    assert.match(asked.text, /Please look at your address once more/);
    assert.match(asked.text, /value="ada@gmial\.com"/);
    assert.match(asked.text, /name="address-kept" value="ada@gmial\.com"/);
    assert.ok(!(await isOnList("ada@gmial.com")));
    const kept = await send(form.id, "ada@gmial.com", { "address-kept": "ada@gmial.com" });
    assert.equal(kept.status, 200, kept.text);
    assert.ok(await isOnList("ada@gmial.com"));
    assert.ok(!(await isOnList("ada@gmail.com")));
    const another = await send(form.id, "ada@gnail.com", { "address-kept": "ada@gmial.com" });
    assert.equal(another.status, 422, "another slip is asked about anew");
  });

  test("asks a script only where it can answer", async () => {
    const form = await makeForm(app, listId, { locale: "en" });
    const plain = await send(form.id, "bea@gmial.com", {}, JSON_WANTED);
    assert.equal(plain.status, 200, plain.text);
    const asked = await send(form.id, "bob@gmial.com", { "address-kept": "" }, JSON_WANTED);
    assert.equal(asked.status, 422);
    const [{ pointer, code, detail }] = JSON.parse(asked.text).errors;
    assert.deepEqual([pointer, code], ["/email", "meant"]);
    assert.match(detail, /Did you mean bob@gmail\.com\?/);
    const script = await (await fetch(`${app.baseUrl}/f/${form.id}.js`)).text();
    assert.match(script, /"kept":"address-kept"/);
  });

  test("with report never asks the DNS, and refuses nobody", async () => {
    const form = await makeForm(app, listId, {});
    const before = dns.queries.length;
    for (const email of ["ada@refuses.net", "info@good.net", "ada@mailinator.com", "ada@example.com"])
      assert.equal((await send(form.id, email)).status, 200, email);
    const asked = dns.queries.slice(before).map(({ type }) => type);
    assert.ok(!asked.includes("MX"), String(asked));
  });

  test("with skip_bad refuses what can't be reached, and nobody who is doubtful or unknown", async () => {
    const form = await makeForm(app, listId, { checks: "skip_bad", locale: "en" });
    const refused = await send(form.id, "eve@refuses.net");
    assert.equal(refused.status, 422);
    assert.match(refused.text, /No mail can arrive at “refuses\.net”/);
    assert.match(refused.text, /Something has to be mended below/);
    const insisted = await send(form.id, "eve@refuses.net", { "address-kept": "eve@refuses.net" });
    assert.equal(insisted.status, 422, "what can't be reached can't be insisted on");
    const slip = await send(form.id, "eve@hotmial.com");
    assert.match(slip.text, /No mail can arrive at “hotmial\.com”\. Did you mean eve@hotmail\.com\?/);
    for (const email of ["info@good.net", "eve@broken.net", "eve@silent.net"])
      assert.equal((await send(form.id, email)).status, 200, email);
    assert.ok(await isOnList("eve@silent.net"));
    assert.ok(!(await isOnList("eve@refuses.net")));
    const reachable = await send(form.id, "eve@gnail.com");
    assert.match(reachable.text, /Did you mean eve@gmail\.com\?/);
    assert.equal((await send(form.id, "eve@gnail.com", { "address-kept": "eve@gnail.com" })).status, 200);
  });

  test("with off takes every address, and the setting is one of the form's", async () => {
    const form = await makeForm(app, listId, { checks: "off" });
    assert.equal((await send(form.id, "zoe@gmial.com")).status, 200);
    const changed = await app.api("PATCH", `/v1/forms/${form.id}`, { body: { checks: "skip_bad" } });
    assert.deepEqual([changed.status, changed.body.checks, changed.body.version], [200, "skip_bad", 2]);
    assert.equal((await app.api("PATCH", `/v1/forms/${form.id}`, { body: { checks: "all" } })).status, 422);
  });

  test("escapes what it shows of an address", async () => {
    const form = await makeForm(app, listId, { locale: "en" });
    const asked = await send(form.id, `"<b>x</b>"@gmial.com`);
    assert.ok(!asked.text.includes("<b>x</b>"), asked.text);
  });
});
