import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import { readProviderReply } from "./reply-rules.ts";
import { REPLY_RULES } from "./reply-table.ts";

const MINUTES = 60_000;

function read(provider: string, reply: string, phase = "rcpt") {
  const found = /^(\d{3})[ -](?:([245]\.\d+\.\d+) )?(.*)$/s.exec(reply);
  if (!found) throw new Error(reply);
  const [, code, enhanced = null, text = ""] = found;
  return readProviderReply({ provider, code: Number(code), enhanced, text, phase });
}

/** What is said, and what follows: the reason, minutes, whom it is about, and whether somebody is told. */
const TABLE: readonly [provider: string, reply: string, meaning: string][] = [
  [
    "google",
    "421 4.7.28 unusual rate of unsolicited mail originating from your IP address",
    "rate 10 transport",
  ],
  ["google", "450 4.7.28 unusual rate of unsolicited mail from your IP Netblock", "rate 10 transport"],
  [
    "google",
    "421 4.7.0 an unusual rate of unsolicited mail originating from your IP address",
    "rate 10 transport",
  ],
  [
    "google",
    "421 4.7.28 unusual rate of unsolicited mail originating from your SPF domain",
    "rate 10 from_domain",
  ],
  [
    "google",
    "421 4.7.28 unusual rate of unsolicited mail originating from your DKIM domain",
    "rate 10 from_domain",
  ],
  ["google", "421 4.7.28 unusual rate of mail containing one of your URL domains", "rate 10 from_domain"],
  [
    "google",
    "550 5.7.28 an unusual amount of unsolicited mail from your IP",
    "reputation 120 transport alert",
  ],
  [
    "google",
    "550 5.7.28 There is an unusual rate of unsolicited email originating from your IP address",
    "reputation 120 transport alert",
  ],
  [
    "google",
    "550-5.7.1 [192.0.2.1] an unusual rate of 550-5.7.1 unsolicited mail; it has been blocked",
    "reputation 120 transport alert",
  ],
  ["google", "421-4.7.0 an unusual rate of 421-4.7.0 unsolicited mail from your IP", "rate 10 transport"],
  ["google", "421 4.7.28 an unusual amount of unsolicited email from your IP address", "rate 10 transport"],
  [
    "google",
    "550 5.7.1 likely suspicious due to the very low reputation of the sending domain",
    "reputation 120 from_domain alert",
  ],
  ["google", "421 4.7.0 the sending IP does not have a PTR record", "reverse_dns 60 transport alert"],
  [
    "google",
    "550 5.7.1 does not meet IPv6 sending guidelines regarding PTR records",
    "reverse_dns 60 transport alert",
  ],
  ["google", "421 5.7.32 From: isn't aligned with SPF or DKIM", "authentication 60 from_domain alert"],
  ["google", "421 4.7.23 the sending IP has no PTR record", "reverse_dns 60 transport alert"],
  ["google", "550 5.7.25 the sending IP has no PTR record", "reverse_dns 60 transport alert"],
  ["google", "550 5.7.26 the mail is unauthenticated", "authentication 60 from_domain alert"],
  ["google", "421 4.7.27 SPF did not pass", "authentication 60 from_domain alert"],
  ["google", "421 4.7.29 this was not sent over a TLS connection", "tls 60 transport alert"],
  ["google", "550 5.7.30 DKIM did not pass", "authentication 60 from_domain alert"],
  ["google", "421 4.7.32 From is not aligned", "authentication 60 from_domain alert"],
  ["google", "421 4.7.40 no DMARC record", "authentication 60 from_domain alert"],
  ["yahoo", "421 4.7.0 [TSS04] deferred due to user complaints", "rate 120 transport"],
  ["yahoo", "421 4.7.0 [TS01] deferred", "rate 120 transport"],
  ["yahoo", "421 4.7.0 [TS02] deferred", "rate 120 transport"],
  ["yahoo", "421 4.7.1 [TS03] all messages deferred", "reputation 240 transport alert"],
  [
    "microsoft",
    "550 5.7.1 part of their network is on our block list (S3150)",
    "blocked 120 transport alert",
  ],
  [
    "microsoft",
    "550 5.7.1 part of their network is on our block list (AS3140)",
    "blocked 120 transport alert",
  ],
  ["microsoft", "451 4.7.650 the mail server has been temporarily rate limited (S775)", "rate 60 transport"],
  // Published in October 2020 and 2023: the code of a block in the bracket of a rate.
  [
    "microsoft",
    "451 4.7.650 the server has been rate limited due to IP reputation (S3113)",
    "rate 60 transport",
  ],
  [
    "microsoft",
    "451 4.7.651 the server has been rate limited due to IP reputation (S3114)",
    "rate 60 transport",
  ],
  [
    "microsoft",
    "451 4.7.651 the server has been rate limited due to IP reputation (S844)",
    "rate 60 transport",
  ],
  [
    "microsoft",
    "550 5.7.1 Client host blocked using a list of others (AS3130)",
    "blocked 120 transport alert",
  ],
  ["microsoft365", "550 5.7.606 Access denied, banned sending IP (AS1430)", "blocked 120 transport alert"],
  ["microsoft365", "550 5.7.649 Access denied", "blocked 120 transport alert"],
  ["microsoft365", "550 5.7.511 Access denied, banned sender", "blocked 120 transport alert"],
  ["microsoft365", "550 5.7.508 Access denied, exceeded permitted limits within range", "rate 60 transport"],
  ["microsoft365", "451 4.7.851 Access denied, please try again later", "rate 10 transport"],
  [
    "microsoft365",
    "550 5.7.509 the sending domain does not pass DMARC",
    "authentication 60 from_domain alert",
  ],
  [
    "microsoft365",
    "550 5.7.23 rejected because of Sender Policy Framework",
    "authentication 60 from_domain alert",
  ],
  ["microsoft365", "550 5.7.25 the address must have a reverse DNS record", "reverse_dns 60 transport alert"],
  ["microsoft", "421 RP-001 exceeded the rate limit", "rate 60 transport"],
  [
    "microsoft",
    "550 5.7.515 the sending domain does not meet the level",
    "authentication 60 from_domain alert",
  ],
  ["microsoft365", "451 4.7.500 Server busy (AS843)", "rate 10 transport"],
  ["microsoft365", "550 5.1.8 bad outbound sender", "blocked 120 transport alert"],
  ["apple", "554 5.7.1 [CS01] rejected due to local policy", "reputation 120 from_domain alert"],
  ["apple", "550 5.7.1 [HM08] rejected due to local policy", "reputation 120 from_domain alert"],
  ["comcast", "421 4.1.0 throttled RL000001", "rate 60 transport"],
  ["comcast", "421 4.7.0 [TSS04] deferred due to user complaints", "rate 120 transport"],
  ["comcast", "554 resimta refused BL000101", "blocked 120 transport alert"],
  ["comcast", "554 resimta refused ES000010", "blocked 120 transport alert"],
  ["microsoft", "550 OU-002 not sent because of the address's reputation", "blocked 120 transport alert"],
  ["comcast", "554 resimta refused BL000000", "blocked 120 transport alert"],
  ["orange", "421 mwinf Service refused, please try later. OFR_104 [104]", "rate 60 transport"],
  ["orange", "550 5.2.0 Mail rejected. OFR_506 [506]", "blocked 120 transport alert"],
  [
    "gmx",
    "554 Nemesis ESMTP Service not available, IP address is block listed",
    "blocked 120 transport alert",
  ],
  ["gmx", "421 Nemesis ESMTP Service not available, try again later", "rate 60 transport"],
  ["gmx", "554 Reject due to policy restrictions", "blocked 120 transport alert"],
  ["netease", "421 HL:REP 192.0.2.1", "rate 60 transport"],
];

/** What is about a recipient, a mailbox or a message, or was said by a server of which no rule knows the words. */
const NOTHING: readonly [provider: string, reply: string, phase?: string][] = [
  ["google", "550 5.1.1 The account that you tried to reach does not exist"],
  ["google", "452 4.2.2 The recipient's inbox is out of storage space"],
  ["google", "450 4.2.1 The user is receiving mail at a rate that prevents more"],
  ["google", "421 4.7.0 Temporary System Problem. Try again later"],
  ["google", "552 5.7.0 This message was blocked because its content is a risk"],
  ["google", "421 4.7.28 unusual rate of unsolicited mail", "mail"],
  ["google", "421 4.7.28 unusual rate of unsolicited mail", "greeting"],
  ["other", "421 4.7.28 unusual rate of unsolicited mail"],
  ["other", "550 5.7.26 the mail is unauthenticated"],
  ["yahoo", "554 5.7.9 Message not accepted for policy reasons"],
  ["yahoo", "421 4.7.28 unusual rate of unsolicited mail"],
  ["orange", "552 5.1.1 Recipient overquota. OFR_417 [417]"],
  ["orange", "550 5.1.1 Invalid recipient. OFR_416 [416]"],
  ["microsoft", "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)"],
  ["microsoft365", "432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded"],
  ["microsoft365", "550 5.2.122 Recipient's per hour message receive limit exceeded"],
  ["microsoft365", "550 5.7.507 Access denied, rejected by recipient"],
  ["microsoft365", "550 5.7.513 Client host blocked by their own list (AS16012607)"],
  ["apple", "421 4.7.1 Messages to an address deferred due to excessive volume. Try again later"],
  ["apple", "451 4.7.1 Service unavailable - try again later"],
  ["microsoft365", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)"],
];

describe("what a provider's reply means", () => {
  for (const [provider, reply, meaning] of TABLE)
    test(`${provider}: ${reply}`, () => {
      const found = read(provider, reply);
      assert.ok(found, "it should mean something");
      const { reason, closeMs, scope, alert } = found;
      assert.equal(`${reason} ${closeMs / MINUTES} ${scope}${alert ? " alert" : ""}`, meaning);
    });

  for (const [provider, reply, phase] of NOTHING)
    test(`nothing follows at ${provider} from ${reply}${phase ? ` to ${phase}` : ""}`, () => {
      assert.equal(read(provider, reply, phase), undefined);
    });

  test("where each customer has a policy of its own, several must say that proof is missing; the provider's own words count at once", () => {
    const domains = (provider: string, reply: string) => read(provider, reply)?.domains;
    for (const one of ["mimecast", "proofpoint", "barracuda", "cisco", "sophos", "microsoft365"])
      assert.equal(domains(one, "550 5.7.26 unauthenticated"), 3, one);
    assert.equal(domains("google", "550 5.7.26 unauthenticated"), 1);
    assert.equal(domains("microsoft365", "550 5.7.606 Access denied, banned sending IP"), 1);
  });

  test("a report is read as a reply is", () => {
    const text =
      "smtp; 421 4.7.28 [192.0.2.1] unusual rate of unsolicited mail originating from your IP address";
    const told = readProviderReply({
      provider: "google",
      code: null,
      enhanced: "4.7.28",
      text,
      phase: "report",
    });
    assert.equal(told?.closeMs, 10 * MINUTES);
  });

  test("every rule is of providers that the table of providers has", () => {
    const known = new Set(MAILBOX_PROVIDERS.map(({ key }) => key));
    for (const { providers } of REPLY_RULES) for (const one of providers) assert.ok(known.has(one), one);
  });

  test("a megabyte of text takes no longer than its beginning", () => {
    const texts = ["a", "421 ", "nemesis ", "5.1.8 ", "4.3.2 "].map((unit) =>
      unit.repeat(1_000_000 / unit.length),
    );
    const took = (length: number) => {
      const began = performance.now();
      for (const { key: provider } of MAILBOX_PROVIDERS)
        for (const text of texts)
          readProviderReply({
            provider,
            code: 421,
            enhanced: null,
            text: text.slice(0, length),
            phase: "dot",
          });
      return performance.now() - began;
    };
    const short = took(2_000);
    assert.ok(took(1_000_000) < 20 * short + 500);
  });
});
