/** Puts payloads into all that strangers tell the pages of deliverability: DNS, reports, blocklists, and mail that arrives. */
import assert from "node:assert/strict";
import { recordEgressAddress } from "../../src/delivery/delivery.ts";
import { storeInbound } from "../../src/inbound/inbound.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { openAlerts } from "./alerts.ts";
import { TEST_SECRET_KEY, type TestApp } from "./app.ts";
import { makeCampaign } from "./campaigns.ts";
import { recentReport, uploadReport } from "./dmarc.ts";
import type { DnsServer } from "./dns-server.ts";
import type { PassingRelay } from "./mail-tests.ts";
import { type Json, makeList, uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";
import { ONE_LINE, pack } from "./xss-payloads.ts";

export const HOSTILE_DOMAIN = "hostile.example";
/** The zone that lists every address, and says why in payloads. */
export const HOSTILE_LIST = "list.example";
const EGRESS = "5.6.7.8";

/** A resolver gives bytes, and a name is at most 63 of them between two dots. */
const plain = ONE_LINE.map((text) => text.replaceAll(/[^ -~]/g, "?"));
const labels = plain.filter((text) => text.length <= 60 && !/[.\\]/.test(text));
const escapeXml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`).replaceAll(/[^ -~]/g, "?");

export async function makeHostileDomain(app: TestApp, dns: DnsServer): Promise<void> {
  const texts = pack(plain, 1_500);
  const hosts = { return_path: `bounce.${HOSTILE_DOMAIN}`, tracking_host: `go.${HOSTILE_DOMAIN}` };
  dns.set(HOSTILE_DOMAIN, "TXT", [`v=spf1 include:${texts[0]} ~all`, `v=spf1 ${texts[1]}`]);
  dns.set(`_dmarc.${HOSTILE_DOMAIN}`, "TXT", [`v=DMARC1; p=none; rua=${texts[2]}`, `v=DMARC1; ${texts[3]}`]);
  dns.set(`bounce.${HOSTILE_DOMAIN}`, "CNAME", [`${labels[0]}.example`]);
  dns.set(`go.${HOSTILE_DOMAIN}`, "CNAME", [`${labels[1]}.example`]);
  dns.set(HOSTILE_DOMAIN, "NS", [`${labels[2]}.example`]);
  const made = await app.api("POST", "/v1/domains", { body: { name: HOSTILE_DOMAIN, ...hosts } });
  assert.equal(made.status, 201, made.text);
  for (const { kind, name } of made.body.records)
    if (kind === "dkim") dns.set(name, "TXT", [`v=DKIM1; p=${texts[4]}`, texts[5] ?? ""]);
  const found = await app.api("POST", `/v1/domains/${made.body.id}/verify`);
  assert.equal(found.status, 200, found.text);
  assert.ok(found.body.records.some(({ found: values }: Json) => values.length > 0));
}

/** Reporters, selectors and the names of addresses are whatever their owners say. */
export async function uploadHostileReports(app: TestApp, dns: DnsServer): Promise<void> {
  for (const [n, org] of pack(plain, 200).slice(0, 6).entries()) {
    const ip = `192.0.2.${n + 1}`;
    dns.set(`${n + 1}.2.0.192.in-addr.arpa`, "PTR", [`${labels[n + 3]}.example`]);
    const selector = escapeXml(labels[n + 20] ?? "");
    const signatures = [[HOSTILE_DOMAIN, selector]] as const;
    const report = recentReport({
      org: escapeXml(org),
      domain: HOSTILE_DOMAIN,
      reportId: `r-${n}`,
      records: [{ ip, count: 10, signatures }],
    });
    const reply = await uploadReport(app, report);
    assert.equal(reply.status, 201, reply.text);
  }
}

export async function makeHostileListing(app: TestApp, dns: DnsServer): Promise<void> {
  dns.set(`2.0.0.127.${HOSTILE_LIST}`, "A", ["127.0.0.2"]);
  dns.set(`8.7.6.5.${HOSTILE_LIST}`, "A", ["127.0.0.2"]);
  dns.set(`8.7.6.5.${HOSTILE_LIST}`, "TXT", [pack(plain, 1_000)[7] ?? ""]);
  const seen = { transportId: null, address: EGRESS, helo: labels[40] ?? "", at: new Date() };
  await recordEgressAddress(app.db, uuidOf("acc", app.accountId), seen);
  assert.equal((await app.api("POST", "/v1/deliverability/blocklists/check")).status, 202);
  await until(async () => {
    const { addresses } = (await app.api("GET", "/v1/deliverability/blocklists")).body;
    // The mail test before it may have taught another address.
    const found = addresses.find(({ address }: Json) => address === EGRESS);
    return found?.results[0]?.status === "listed";
  });
}

/** Tests a campaign whose mail comes back from a server that calls itself by a payload, with headers of its own. */
export async function makeHostileTest(app: TestApp, relay: PassingRelay): Promise<string> {
  const [name, subject] = [pack(ONE_LINE, 200)[9], pack(plain, 200)[10]?.replaceAll(/[{}%]/g, "?")];
  const list = await makeList(app);
  await app.api("PATCH", `/v1/lists/${list}`, { body: { postal_address: "1 High Street, London" } });
  const from_email = `news@${HOSTILE_DOMAIN}`;
  const campaign = await makeCampaign(app, list, { name, subject, from_email });
  const body = { campaign_id: campaign["id"] };
  const begun = await app.api("POST", "/v1/deliverability/tests", { body });
  assert.equal(begun.status, 202, begun.text);
  // Owners are mailed about alerts by the same relay.
  const held = () => relay.held.find(({ to }) => to === begun.body.address);
  await until(() => held() !== undefined);
  const mail = held();
  assert.ok(mail);
  const headers = pack(plain, 300).map((text, n) => `X-Payload-${n}: ${text}\r\n`);
  const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=${labels[41]}; s=${labels[42]}; b=x; bh=x; h=from\r\n`;
  const item = {
    accountId: uuidOf("acc", app.accountId),
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: mail.from,
    addressed: { kind: "mail_test", testId: uuidOf("mtt", begun.body.id) },
    raw: Buffer.concat([Buffer.from(signature + headers.join("")), mail.raw]),
    session: { ip: EGRESS, helo: plain[30] ?? "", tls: plain[31] ?? "" },
  } as const;
  const tools = { secrets: createSecrets([TEST_SECRET_KEY]), clock: systemClock };
  await app.db.transaction((tx) => storeInbound(tx, tools, [item]));
  await until(
    async () => (await app.api("GET", `/v1/deliverability/tests/${begun.body.id}`)).body.status === "done",
  );
  return begun.body.id;
}

export async function openHostileAlerts(app: TestApp): Promise<void> {
  const texts = pack(ONE_LINE, 600);
  await openAlerts(
    app,
    texts.map((text, n) => ({
      kind: "dmarc_unknown_source",
      subject: `${n} ${text}`.slice(0, 200),
      severity: n % 2 === 0 ? "warning" : "critical",
      title: text.slice(0, 200),
      detail: text,
      remedy: texts[(n + 1) % texts.length] ?? "",
      data: { text },
    })),
  );
}
