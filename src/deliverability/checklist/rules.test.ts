import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Evidence, KnownRecord, Volume } from "./evidence.ts";
import { providerOf } from "./providers.ts";
import { RULES } from "./rules.ts";
import type { Provider, RuleStatus } from "./schema.ts";

const NOTHING: Evidence = {
  senders: [],
  hasCampaigns: true,
  domains: [],
  tests: [],
  reported: null,
  volumes: [],
  rates: [],
  unsubscribes: { people: 0, mailedAfter: 0, longestSeconds: 0 },
  publicUrl: "https://mail.fernhillbooks.org",
  probed: undefined,
  lists: { lists: 0, confirmed: 0 },
};

const from = (address: string, replyTo: string | null = null) => ({ from: address, replyTo, publicUrl: "" });
const SHOP = { senders: [from("news@shop.example")] };
const record = (kind: string, status: string, key_state?: string): KnownRecord => ({
  kind,
  name: `${kind}.shop.example`,
  status,
  expected: "v=1",
  required: true,
  details: key_state === undefined ? null : { key_state },
});
const ed25519 = (status: string) => ({
  ...record("dkim", status, "active"),
  expected: "v=DKIM1; k=ed25519; p=abc",
});
const optional = (kind: string, status: string) => ({ ...record(kind, status), required: false });
const returnPath = (...results: readonly string[]) => ({
  ...optional("return_path", "ok"),
  details: { addresses: results.map((result, at) => ({ address: `192.0.2.${at}`, result })) },
});
const domain = (name: string, ...records: KnownRecord[]) => ({ name, records });
const testedAs = (statuses: Readonly<Record<string, RuleStatus>>) => ({
  tests: [
    {
      at: new Date("2026-11-14T09:30:00Z"),
      items: Object.entries(statuses).map(([key, status]) => ({
        key,
        status,
        title: "What was found",
        evidence: "the true evidence\nand more",
      })),
    },
  ],
});
const tested = (key: string, status: RuleStatus) => testedAs({ [key]: status });
const ONE_CLICK = { list_unsubscribe: "pass", one_click: "pass", one_click_signed: "pass" } as const;
const volume = (provider: Provider, accepted: number, complaints: number, hardBounces = 0): Volume => ({
  provider,
  accepted,
  complaints,
  hardBounces,
  mostInADay: accepted,
});
const entered = (provider: Provider, ...rates: number[]) =>
  rates.map((rate, at) => ({ provider, day: `2026-11-${10 + at}`, rate }));
const reported = (messages: number, aligned: number) => ({
  reported: { messages, aligned, dkimAligned: aligned, spfAligned: 0 },
});
const probed = (ok: boolean, url = NOTHING.publicUrl) => ({
  probed: { url, probed_at: new Date("2026-11-14T09:30:00Z"), ok, reason: ok ? null : "no answer" },
});

describe("a rule", () => {
  for (const [code, what, evidence, status] of [
    ["spf", "without a domain", {}, "unknown"],
    ["spf", "a right record", { ...SHOP, domains: [domain("shop.example", record("spf", "ok"))] }, "pass"],
    [
      "spf",
      "the From's own record, where bounces come elsewhere",
      { ...SHOP, domains: [domain("shop.example", optional("spf", "ok"))] },
      "unknown",
    ],
    [
      "spf",
      "a return path that passes, whatever the From's own record is",
      { ...SHOP, domains: [domain("shop.example", optional("spf", "missing"), returnPath("pass", "pass"))] },
      "pass",
    ],
    [
      "spf",
      "a return path that fails for an address",
      { ...SHOP, domains: [domain("shop.example", optional("spf", "ok"), returnPath("pass", "softfail"))] },
      "fail",
    ],
    [
      "spf",
      "a return path and no known address",
      { ...SHOP, domains: [domain("shop.example", optional("spf", "ok"), returnPath())] },
      "unknown",
    ],
    [
      "spf",
      "records of a domain that mail isn't from",
      { ...SHOP, domains: [domain("other.example", record("spf", "ok"))] },
      "unknown",
    ],
    [
      "spf",
      "a record of a domain above",
      { senders: [from("a@news.shop.example")], domains: [domain("shop.example", record("spf", "wrong"))] },
      "fail",
    ],
    [
      "spf",
      "a test goes before a record",
      { ...SHOP, domains: [domain("shop.example", record("spf", "missing"))], ...tested("spf", "pass") },
      "pass",
    ],
    ["spf", "what a test could not tell", { ...SHOP, ...tested("spf", "unknown") }, "unknown"],
    [
      "dkim",
      "the key that signs is missing",
      { ...SHOP, domains: [domain("shop.example", record("dkim", "missing", "active"))] },
      "fail",
    ],
    [
      "dkim",
      "only the key that waits is missing",
      {
        ...SHOP,
        domains: [
          domain("shop.example", record("dkim", "ok", "active"), record("dkim", "missing", "standby")),
        ],
      },
      "pass",
    ],
    [
      "dkim",
      "only the second key, of Ed25519, is missing",
      { ...SHOP, domains: [domain("shop.example", record("dkim", "ok", "active"), ed25519("missing"))] },
      "pass",
    ],
    [
      "dkim",
      "only the key of Ed25519 is there",
      { ...SHOP, domains: [domain("shop.example", record("dkim", "missing", "active"), ed25519("ok"))] },
      "fail",
    ],
    [
      "dkim",
      "a resolver that fails",
      { ...SHOP, domains: [domain("shop.example", record("dkim", "unknown", "active"))] },
      "unknown",
    ],
    [
      "dmarc_record",
      "two records",
      { ...SHOP, domains: [domain("shop.example", record("dmarc", "duplicate"))] },
      "fail",
    ],
    [
      "dmarc_record",
      "mail from another domain too",
      {
        senders: [from("a@shop.example"), from("a@else.example")],
        domains: [domain("shop.example", record("dmarc", "ok"))],
      },
      "warn",
    ],
    ["dmarc_alignment", "nothing known", SHOP, "unknown"],
    ["dmarc_alignment", "all aligned in reports", { ...SHOP, ...reported(1_000, 990) }, "pass"],
    ["dmarc_alignment", "some not", { ...SHOP, ...reported(1_000, 950) }, "warn"],
    ["dmarc_alignment", "many not", { ...SHOP, ...reported(1_000, 500) }, "fail"],
    [
      "dmarc_alignment",
      "few reports and a test",
      { ...SHOP, ...reported(10, 0), ...tested("dmarc", "pass") },
      "pass",
    ],
    ["from_domain", "a domain of one's own", SHOP, "pass"],
    ["from_domain", "a free mailbox", { senders: [from("shop@GMAIL.com")] }, "fail"],
    ["from_domain", "a free mailbox of others", { senders: [from("shop@gmx.net")] }, "fail"],
    ["from_domain", "a free mailbox of another country", { senders: [from("a@yahoo.com.br")] }, "fail"],
    ["reverse_dns", "no test", {}, "unknown"],
    ["reverse_dns", "a name that leads elsewhere", tested("ptr", "fail"), "fail"],
    ["tls", "a plain connection", tested("tls", "warn"), "warn"],
    [
      "consistent_sender",
      "four domains",
      { senders: ["a", "b", "c", "d"].map((name) => from(`x@${name}.example`)) },
      "warn",
    ],
    ["one_click_unsubscribe", "signed and https", testedAs(ONE_CLICK), "pass"],
    ["one_click_unsubscribe", "not signed", testedAs({ ...ONE_CLICK, one_click_signed: "fail" }), "fail"],
    ["one_click_unsubscribe", "no such header", tested("list_unsubscribe", "fail"), "fail"],
    [
      "one_click_unsubscribe",
      "a test that tells nothing of it",
      { ...testedAs({ list_unsubscribe: "pass" }) },
      "unknown",
    ],
    [
      "one_click_unsubscribe",
      "plain http",
      { publicUrl: "http://mail.fernhillbooks.org", ...testedAs(ONE_CLICK) },
      "fail",
    ],
    [
      "one_click_unsubscribe",
      "an address inside",
      { publicUrl: "https://127.0.0.1:4000", ...testedAs(ONE_CLICK) },
      "fail",
    ],
    [
      "one_click_unsubscribe",
      "a POST that doesn't arrive",
      { ...testedAs(ONE_CLICK), ...probed(false) },
      "fail",
    ],
    [
      "one_click_unsubscribe",
      "a look at a former address",
      { ...testedAs(ONE_CLICK), ...probed(false, "https://old.example") },
      "pass",
    ],
    ["unsubscribe_link", "all well", {}, "pass"],
    ["unsubscribe_delay", "nobody", {}, "unknown"],
    [
      "unsubscribe_delay",
      "at once",
      { unsubscribes: { people: 40, mailedAfter: 0, longestSeconds: 0 } },
      "pass",
    ],
    [
      "unsubscribe_delay",
      "a mail on its way",
      { unsubscribes: { people: 40, mailedAfter: 1, longestSeconds: 60 } },
      "pass",
    ],
    [
      "unsubscribe_delay",
      "a day",
      { unsubscribes: { people: 40, mailedAfter: 2, longestSeconds: 86_400 } },
      "warn",
    ],
    [
      "unsubscribe_delay",
      "three days",
      { unsubscribes: { people: 40, mailedAfter: 2, longestSeconds: 259_200 } },
      "fail",
    ],
    ["complaint_rate_gmail", "none entered", { volumes: [volume("gmail", 9_000, 0)] }, "unknown"],
    [
      "complaint_rate_gmail",
      "complaints that can't be Gmail's own",
      { volumes: [volume("gmail", 1_000, 50)] },
      "unknown",
    ],
    ["complaint_rate_gmail", "low days", { rates: entered("gmail", 0.0004, 0.0008) }, "pass"],
    ["complaint_rate_gmail", "a mean of 0.1%", { rates: entered("gmail", 0.001, 0.001) }, "warn"],
    ["complaint_rate_gmail", "one day of 0.3%", { rates: entered("gmail", 0, 0, 0, 0.003) }, "fail"],
    [
      "complaint_rate_gmail",
      "a bad day long ago",
      { rates: entered("gmail", 0.01, 0, 0, 0, 0, 0, 0, 0) },
      "pass",
    ],
    ["complaint_rate_yahoo", "none came", { volumes: [volume("yahoo", 9_000, 0)] }, "unknown"],
    [
      "complaint_rate_yahoo",
      "few over its own mail",
      { volumes: [volume("yahoo", 9_000, 4), volume("gmail", 10, 0)] },
      "pass",
    ],
    ["complaint_rate_yahoo", "0.2%", { volumes: [volume("yahoo", 2_000, 4)] }, "warn"],
    [
      "complaint_rate_yahoo",
      "1%",
      { volumes: [volume("yahoo", 1_000, 10), volume("gmail", 900_000, 0)] },
      "fail",
    ],
    ["complaint_rate_yahoo", "one about ten mails", { volumes: [volume("yahoo", 10, 1)] }, "warn"],
    ["complaint_rate_yahoo", "of another provider", { volumes: [volume("microsoft", 10, 10)] }, "unknown"],
    ["complaint_rate_apple", "nothing", {}, "unknown"],
    ["feedback_loops", "both", { volumes: [volume("yahoo", 9, 1), volume("microsoft", 9, 1)] }, "pass"],
    [
      "reply_address",
      "nobody reads",
      { senders: [from("news@shop.example", "no-reply@shop.example")] },
      "warn",
    ],
    ["consistent_sender", "nothing sent", { ...SHOP, hasCampaigns: false }, "unknown"],
    ["message_format", "no test", {}, "unknown"],
    ["message_format", "a signature that broke", tested("dkim", "fail"), "unknown"],
    ["message_format", "a signature that holds", tested("dkim", "pass"), "pass"],
    ["smtp_errors", "nothing sent", {}, "unknown"],
    ["smtp_errors", "some sent", { volumes: [volume("gmail", 90, 0, 1)] }, "pass"],
    ["suppressed_stay", "whatever is known", {}, "unknown"],
    ["bounce_handling", "few mails", { volumes: [volume("gmail", 90, 0, 1)] }, "unknown"],
    ["consent", "all lists ask", { lists: { lists: 2, confirmed: 2 } }, "pass"],
    ["consent", "one doesn't", { lists: { lists: 2, confirmed: 1 } }, "warn"],
    ["bounce_handling", "5% bounce", { volumes: [volume("gmail", 9_500, 0, 500)] }, "warn"],
    ["bounce_handling", "few do", { volumes: [volume("gmail", 9_990, 0, 10)] }, "pass"],
  ] satisfies [string, string, Partial<Evidence>, RuleStatus][]) {
    it(`${code}: ${what} is ${status}`, () => {
      const rule = RULES.find((one) => one.code === code);
      const found = rule?.judge({ ...NOTHING, ...evidence });
      assert.equal(found?.status, status, found?.evidence ?? "there is no such rule");
      assert.equal(found?.remedy === null, status === "pass");
    });
  }

  for (const [code, key] of [
    ["reverse_dns", "ptr"],
    ["tls", "tls"],
    ["one_click_unsubscribe", "one_click"],
    ["spf", "spf"],
  ] as const)
    it(`${code}: tells what kept a test from knowing it`, () => {
      const found = RULES.find((one) => one.code === code)?.judge({ ...NOTHING, ...tested(key, "unknown") });
      assert.equal(found?.status, "unknown");
      assert.ok(found?.evidence.startsWith("The mail test of 2026-11-14"), found?.evidence);
      if (code !== "one_click_unsubscribe") assert.match(found?.evidence ?? "", /the true evidence$/);
    });

  it("has sources by their providers, and says something also where nothing is known", () => {
    assert.equal(new Set(RULES.map(({ code }) => code)).size, RULES.length);
    for (const { code, sources, judge } of RULES) {
      assert.ok(sources.length > 0, code);
      for (const { url } of sources) assert.equal(new URL(url).protocol, "https:");
      assert.ok(judge(NOTHING).evidence.length > 10, code);
    }
  });
});

describe("a provider", () => {
  it("has domains of its own, and not those of its customers or of another company", () => {
    const domains = ["gmail.com", "GoogleMail.com", "yahoo.co.uk", "aol.com", "hotmail.fr", "me.com"];
    assert.deepEqual(domains.map(providerOf), ["gmail", "gmail", "yahoo", "yahoo", "microsoft", "apple"]);
    for (const other of ["yahoo.co.jp", "shop.example", "notgmail.com", ""])
      assert.equal(providerOf(other), undefined);
  });
});
