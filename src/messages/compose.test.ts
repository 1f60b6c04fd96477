import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import PostalMime from "postal-mime";
import { UNSIGNED } from "../../test/support/signing.ts";
import { startContentWorkers } from "../content/content.ts";
import type { Recipient } from "../delivery/delivery.ts";
import type { SigningKeys } from "../domains/domains.ts";
import { type DkimKey, loadDkimKey, publicKeyRecord } from "../mail/dkim/dkim.ts";
import { systemClock } from "../platform/clock.ts";
import { SAMPLE_PLAIN_VALUES } from "../subscribers/subscribers.ts";
import { prepareComposing } from "./compose.ts";
import { createLinkTokens } from "./links/link-tokens.ts";
import { createReturnPaths } from "./links/return-paths.ts";
import type { Revision } from "./revision.ts";

const ACCOUNT = "0199a0b1-0000-7000-8000-000000000001";
const SOURCE = "0199a0b1-0000-7000-8000-000000000002";
const linkTokens = createLinkTokens(Buffer.alloc(32, 7));
const back = {
  linkTokens,
  returnPaths: createReturnPaths(Buffer.alloc(32, 7)),
  inboundDomain: undefined,
};
const workers = startContentWorkers({
  threads: 1,
  compileTimeoutMs: 20_000,
  renderTimeoutMs: 10_000,
  memoryMb: 128,
});
after(() => workers.close());

const zoe: Recipient = {
  contactId: "0199a0b1-0000-7000-8000-000000000003",
  subscriberId: "0199a0b1-0000-7000-8000-000000000004",
  listId: "0199a0b1-0000-7000-8000-000000000005",
  email: "zoë@bücher.example",
  subscriber: {
    ...SAMPLE_PLAIN_VALUES,
    id: "sub_00000000000000000000000000",
    email: "zoë@bücher.example",
    first_name: "Zoë\r\nBcc: eve@example.org",
    fields: { city: "Köln" },
    tags: ["a", "b"],
  },
  values: {},
  trackingConsent: null,
  messageId: "row.1",
  date: new Date("2026-11-15T06:00:00Z"),
};

function zoeWith(fields: Record<string, unknown>): Recipient {
  return { ...zoe, subscriber: { ...zoe.subscriber, fields } };
}

async function revisionOf(
  subject: string,
  html: string,
  tracking = { opens: false, clicks: false },
): Promise<Revision> {
  const source = {
    subject,
    preheader: null,
    html,
    mjml: null,
    text: null,
    tracking,
    links: { utm: null, ownUrl: null, honeypot: false, areTokensPersonal: true },
    footer: { postalAddress: "1 High Street", unsubscribeLabel: null },
  };
  const made = await workers.compile(source, ACCOUNT);
  assert.ok(made.ok);
  return {
    format: 2,
    stream: "campaign",
    ownerId: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq",
    compiled: made.compiled,
    from: { name: "Ada, of Acme", email: "news@exämple.org" },
    replyTo: null,
    list: { id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq", name: "Größe" },
    campaign: { id: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq", name: "November" },
    postalAddress: "1 High Street",
    tracking,
    publicUrl: "https://mail.example",
  };
}

async function composeFor(revision: Revision, ...recipients: Recipient[]) {
  return composeWith({}, revision, ...recipients);
}

async function composeWith(
  tools: Partial<Parameters<typeof prepareComposing>[0]>,
  revision: Revision,
  ...recipients: Recipient[]
) {
  // As it comes back from the database.
  const frozen = JSON.parse(JSON.stringify(revision));
  const all = { ...back, workers, signing: UNSIGNED, clock: systemClock, ...tools };
  return prepareComposing(all, ACCOUNT, frozen).compose(SOURCE, recipients);
}

describe("composing", () => {
  let fast: Revision;
  before(async () => {
    fast = await revisionOf("For {{ first_name }}", "<p>{{ first_name }} in {{ fields.city }}</p>");
  });

  it("gives the same bytes for the same row, whoever composes it", async () => {
    const [[one], [other]] = [await composeFor(fast, zoe), await composeFor(fast, zoe)];
    assert.ok(one?.ok && other?.ok);
    assert.ok(one.message.equals(other.message));
    assert.deepEqual([one.from, one.to], ["news@exämple.org", "zoë@bücher.example"]);
  });

  it("is sent from a return path of its own, and offers mailto: as well, where INBOUND_DOMAIN is set", async () => {
    const inboundDomain = "bounces.example.net";
    const bob = { ...zoe, contactId: ACCOUNT, email: "bob@example.org" };
    const composed = await composeWith({ inboundDomain }, { ...fast, inboundDomain }, zoe, bob);
    const again = await composeWith({ inboundDomain }, { ...fast, inboundDomain }, zoe, bob);
    assert.deepEqual(again, composed);
    for (const [nth, { contactId }] of [zoe, bob].entries()) {
      const one = composed[nth];
      assert.ok(one?.ok);
      const make = back.returnPaths.makerFor(ACCOUNT, SOURCE)(contactId);
      assert.equal(one.from, `${make.bounce}@${inboundDomain}`);
      const header = one.message.toString("latin1").replaceAll(/\r\n[ \t]+/g, " ");
      assert.match(header, /^List-Unsubscribe: <https:\/\/mail\.example\/u\/[\w-]+>, <mailto:/m);
      assert.ok(header.includes(`<mailto:${make.unsubscribe}@${inboundDomain}?subject=unsubscribe>`));
      assert.match(header, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    }
  });

  it("has the same bytes when it is sent again after the setting has changed, since the revision has it", async () => {
    const [[before], [later]] = [
      await composeWith({}, { ...fast, inboundDomain: "one.example" }, zoe),
      await composeWith({ inboundDomain: "two.example" }, { ...fast, inboundDomain: "one.example" }, zoe),
    ];
    assert.ok(before?.ok && later?.ok);
    assert.ok(before.message.equals(later.message));
    assert.deepEqual(before.from, "news@exämple.org");
    assert.match(later.from, /@two\.example$/);
    const [without] = await composeWith({ inboundDomain: "two.example" }, fast, zoe);
    assert.ok(without?.ok);
    assert.doesNotMatch(without.message.toString("latin1"), /mailto:/);
  });

  it("lets no value into the headers, and escapes it in HTML", async () => {
    const [composed] = await composeFor(fast, zoeWith({ city: "<b>&" }));
    assert.ok(composed?.ok);
    const mail = await PostalMime.parse(composed.message);
    assert.equal(mail.bcc, undefined);
    assert.match(mail.subject ?? "", /^For Zoë\s+Bcc: eve@example\.org$/);
    assert.match(mail.html ?? "", /in &lt;b&gt;&amp;/);
    assert.match(mail.text ?? "", /in <b>&/);
  });

  it("names the list and the message under the sender's domain in A-labels", async () => {
    const [composed] = await composeFor(fast, zoe);
    assert.ok(composed?.ok);
    const text = composed.message.toString("latin1");
    assert.match(text, /^Message-ID: <row\.1@xn--exmple-cua\.org>\r$/m);
    assert.match(text, /<lst_01k9zq4t3xe8k8y0v6d3m2n1pq\.xn--exmple-cua\.org>/);
    assert.match(text, /^Date: Sun, 15 Nov 2026 06:00:00 \+0000\r$/m);
  });

  it("signs each recipient's unsubscribe link, under no other key, and for nobody else", async () => {
    const bob = { ...zoe, contactId: ACCOUNT, email: "bob@example.org" };
    const composed = await composeFor(fast, zoe, bob);
    const tokens = await Promise.all(
      composed.map(async (one) => {
        assert.ok(one.ok);
        const mail = await PostalMime.parse(one.message);
        const value = mail.headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "";
        return /^<https:\/\/mail\.example\/u\/([\w-]+)>$/.exec(value)?.[1] ?? "";
      }),
    );
    const named = tokens.map((token) => linkTokens.read(token));
    const common = { accountId: ACCOUNT, sourceId: SOURCE };
    assert.deepEqual(named, [
      { ...common, contactId: zoe.contactId },
      { ...common, contactId: ACCOUNT },
    ]);
    const otherKey = createLinkTokens(Buffer.alloc(32, 8));
    assert.deepEqual(
      tokens.map((token) => otherKey.read(token)),
      [undefined, undefined],
    );
  });

  it("puts the token of nobody in particular into what is counted, for those who aren't tracked in person", async () => {
    const tracked = await revisionOf("News", "<p>News</p>", { opens: true, clicks: true });
    const aggregate = linkTokens.aggregateFor(ACCOUNT, SOURCE);
    const own = linkTokens.makerFor(ACCOUNT, SOURCE)(zoe.contactId);
    const pixelOf = async (mode: "individual" | "consented" | undefined, trackingConsent: boolean | null) => {
      const revision = { ...tracked, tracking: { ...tracked.tracking, ...(mode && { mode }) } };
      const [composed] = await composeFor(revision, { ...zoe, trackingConsent });
      assert.ok(composed?.ok);
      const { html = "", headers } = await PostalMime.parse(composed.message);
      const way = headers.find(({ key }) => key === "list-unsubscribe")?.value;
      assert.equal(way, `<https://mail.example/u/${own}>`);
      return /\/o\/([\w-]+)/.exec(html)?.[1];
    };
    assert.equal(await pixelOf("individual", null), own);
    assert.equal(await pixelOf("individual", false), aggregate);
    assert.equal(await pixelOf("consented", true), own);
    assert.equal(await pixelOf("consented", null), aggregate);
    assert.equal(await pixelOf(undefined, null), own);
  });

  it("renders once more what took too long, since the whole process may have stood still", async () => {
    const slow = await revisionOf("News", "<p>{% for n in (1..3) %}x{% endfor %}</p>");
    const answers = [1, 2].map((late) => {
      let renders = 0;
      const fault = { code: "too_slow", part: null, detail: "late", line: null, column: null } as const;
      const render: typeof workers.render = (...given) =>
        ++renders <= late ? Promise.resolve({ ok: false, fault }) : workers.render(...given);
      return composeWith({ workers: { render } }, slow, zoe);
    });
    const [[once], [twice]] = await Promise.all([answers[0] ?? [], answers[1] ?? []]);
    assert.equal(once?.ok, true);
    assert.deepEqual(twice, { ok: false, reason: "too_slow: late", isTransient: false });
  });

  it("gives a source up whose recipients run away one after the other, and tries one when asked again", async () => {
    const slow = await revisionOf("News", "<p>{% for n in (1..3) %}x{% endfor %}</p>");
    const fault = { code: "too_much_memory", part: null, detail: "grown", line: null, column: null } as const;
    let renders = 0;
    let isMended = false;
    const render: typeof workers.render = (...given) => {
      renders++;
      return isMended ? workers.render(...given) : Promise.resolve({ ok: false, fault });
    };
    const tools = { ...back, workers: { render }, signing: UNSIGNED, clock: systemClock };
    const { compose } = prepareComposing(tools, ACCOUNT, slow);
    const composeMany = (recipients: readonly Recipient[]) => compose(SOURCE, recipients);
    const fifty = Array.from({ length: 50 }, () => zoe);
    await assert.rejects(composeMany(fifty), /ran away for 5 recipients in a row: grown/);
    assert.ok(renders <= 8, `${renders} of 50 were tried`);
    renders = 0;
    await assert.rejects(composeMany(fifty), /in a row/);
    assert.equal(renders, 1);
    isMended = true;
    assert.ok((await composeMany(fifty)).every((one) => one.ok));
  });

  it("leaves to a thread that can be killed what grows for one recipient beyond what may be made here", async () => {
    const long = await revisionOf("News", "<p>{{ fields.x | escape }}</p>".repeat(60));
    assert.ok(long.compiled.isBounded);
    let renders = 0;
    const render: typeof workers.render = (...given) => {
      renders++;
      return workers.render(...given);
    };
    const large = zoeWith({ x: "<".repeat(2_000) });
    const [one, other] = await composeWith({ workers: { render } }, long, zoe, large);
    assert.ok(one?.ok && other?.ok);
    assert.equal(renders, 1);
    assert.ok(other.message.length > 60 * 4 * 2_000);
  });

  it("fails the one recipient whom a template can't be rendered for, and no other", async () => {
    const odd = await revisionOf("News", "<p>{% for n in (1..fields.count) %}x{% endfor %}</p>");
    const many = zoeWith({ count: 1_000_000_000 });
    const [bad, good] = await composeFor(odd, many, zoeWith({ count: 3 }));
    assert.equal(good?.ok, true);
    assert.ok(bad && !bad.ok);
    assert.match(bad.reason, /^\w+: \S/);
  });

  it("signs with the keys that there are for the sender's domain when it is composed, and not when it is prepared", async () => {
    const keys = ["one", "two"].map((selector) => keyFor("example.org", selector));
    let used = keys.slice(0, 1);
    const asked: string[][] = [];
    const identityOf: SigningKeys["identityOf"] = async (...given) => {
      asked.push(given);
      return { isProved: true, returnPath: null, trackingHost: null, keys: used };
    };
    const sender = { name: null, email: "news@eu.example.org" };
    const tools = { ...back, workers, signing: { identityOf }, clock: systemClock };
    const prepared = prepareComposing(tools, ACCOUNT, { ...fast, from: sender });
    const resolver = async (name: string) => {
      const key = keys.find(({ domain, selector }) => name === `${selector}._domainkey.${domain}`);
      assert.ok(key, name);
      return [[publicKeyRecord(key)]];
    };
    const verdicts = async () => {
      const [one] = await prepared.compose(SOURCE, [zoe]);
      assert.ok(one?.ok);
      if (!one.message.includes("DKIM-Signature")) return [];
      const { results } = await dkimVerify(one.message, { resolver });
      return results.map(({ signingDomain, selector, status }) => [signingDomain, selector, status.result]);
    };
    assert.deepEqual(await verdicts(), [["example.org", "one", "pass"]]);
    used = keys;
    assert.deepEqual(await verdicts(), [
      ["example.org", "one", "pass"],
      ["example.org", "two", "pass"],
    ]);
    used = [];
    assert.deepEqual(await verdicts(), []);
    assert.deepEqual(asked, Array(3).fill([ACCOUNT, "eu.example.org"]));
  });

  it("leaves from the return path and links over the host of the sender's domain while these are in order", async () => {
    const identity = { isProved: true, returnPath: "bounce.example.org", keys: [] };
    const wayOf = async (trackingHost: string | null, frozen: Partial<Revision>) => {
      const signing = { identityOf: async () => ({ ...identity, trackingHost }) };
      const [one] = await composeWith(
        { inboundDomain: "bounces.example", signing },
        { ...fast, ...frozen },
        zoe,
      );
      assert.ok(one?.ok);
      const header = one.message.toString("latin1").replaceAll(/\r\n[ \t]+/g, " ");
      return [one.from.split("@")[1], /^List-Unsubscribe: <(https:\/\/[^/]+)\//m.exec(header)?.[1]];
    };
    const trackingHost = "links.example.org";
    assert.deepEqual(await wayOf(trackingHost, { trackingHost }), [
      "bounce.example.org",
      `https://${trackingHost}`,
    ]);
    for (const now of [null, "other.example.org"])
      assert.deepEqual(await wayOf(now, { trackingHost }), ["bounce.example.org", "https://mail.example"]);
    assert.deepEqual(await wayOf(trackingHost, {}), ["bounce.example.org", "https://mail.example"]);
  });

  it("names who sends at the end of Feedback-ID: each account by itself, and always the same", async () => {
    const senderIn = async (accountId: string) => {
      const tools = { ...back, workers, signing: UNSIGNED, clock: systemClock };
      const [one] = await prepareComposing(tools, accountId, fast).compose(SOURCE, [zoe]);
      assert.ok(one?.ok);
      const header = one.message.toString("latin1").replaceAll(/\r\n[ \t]+/g, " ");
      return /^Feedback-ID: cmp_\w+:lst_\w+:campaign:(\w+)\r$/m.exec(header)?.[1] ?? "";
    };
    const [own, again, other] = [await senderIn(ACCOUNT), await senderIn(ACCOUNT), await senderIn(SOURCE)];
    assert.match(own, /^[\da-z]{10}$/);
    assert.equal(again, own);
    assert.notEqual(other, own);
  });
});

function keyFor(domain: string, selector: string): DkimKey {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const loaded = loadDkimKey({ domain, selector, pem });
  assert.ok(loaded.ok);
  return loaded.key;
}
