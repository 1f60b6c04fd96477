import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aHit, appleMail, aRecentHit, chrome, gmailProxy, now } from "./hit.fixture.ts";
import { countsAsHuman, type Hit, type Judgement, judgeHit, listClicksToFlag } from "./machines.ts";
import { rules } from "./rules.ts";

const human: Judgement = { machine: false };

function by(reason: (Judgement & { machine: true })["reason"]): Judgement {
  return { machine: true, reason };
}

function hold(cases: readonly [what: string, change: Partial<Hit>, expected: Judgement][]): void {
  for (const [what, change, expected] of cases) assert.deepEqual(judgeHit(aHit(change)), expected, what);
}

test("what a request says of itself decides", () => {
  hold([
    ["a person's click", {}, human],
    ["a person's open", { kind: "open" }, human],
    ["HEAD", { method: "HEAD" }, by("head")],
    ["the hidden link", { link: 9, honeypotLink: 9 }, by("honeypot")],
    ["another link, beside a hidden one", { link: 1, honeypotLink: 9 }, human],
    ["an open, beside a hidden link", { kind: "open", honeypotLink: 9 }, human],
    ["Chrome's prefetch", { headers: { "sec-purpose": "prefetch;prerender" } }, by("prefetch")],
    ["an older Chrome's", { headers: { purpose: "prefetch" } }, by("prefetch")],
    ["Firefox's", { headers: { "x-moz": "prefetch" } }, by("prefetch")],
    ["Safari's", { headers: { "x-purpose": "preview" } }, by("prefetch")],
    ["a header that is given twice", { headers: { purpose: ["prefetch", "x"] } }, by("prefetch")],
    ["another purpose", { headers: { "sec-purpose": "navigate" } }, human],
    ["a proxy of a company, between", { headers: { via: "1.1 proxy.example (squid)" } }, human],
    ["a robot's From", { headers: { from: "crawler@example.org" } }, by("bot")],
    ["no user agent", { userAgent: undefined }, by("no_user_agent")],
    ["an empty one", { userAgent: "  " }, by("no_user_agent")],
  ]);
});

test("user agents give the reason", () => {
  hold([
    ["a gateway", { userAgent: "BarracudaCentral/1.0" }, by("security_gateway")],
    ["a gateway in a browser's clothes", { userAgent: `${chrome} Proofpoint` }, by("security_gateway")],
    ["Office, before a click", { userAgent: "Microsoft Office Existence Discovery" }, by("prefetch")],
    [
      "Slack",
      { userAgent: "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
      by("link_preview"),
    ],
    [
      "Teams",
      { userAgent: `${chrome} SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com` },
      by("link_preview"),
    ],
    ["WhatsApp", { userAgent: "WhatsApp/2.23.20.0" }, by("link_preview")],
    [
      "Discord",
      { userAgent: "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)" },
      by("link_preview"),
    ],
    ["headless Chrome", { userAgent: chrome.replace("Chrome/", "HeadlessChrome/") }, by("headless")],
    ["curl", { userAgent: "curl/8.5.0" }, by("http_library")],
    ["Python", { userAgent: "python-requests/2.32.0" }, by("http_library")],
    ["Go", { userAgent: "Go-http-client/2.0" }, by("http_library")],
    ["Java", { userAgent: "Java/17.0.2" }, by("http_library")],
    ["Android's library alone", { userAgent: "okhttp/4.12.0" }, by("http_library")],
    ["a crawler", { userAgent: "Mozilla/5.0 (compatible; ExampleBot/1.0)" }, by("bot")],
    ["a name that nobody knows", { userAgent: "Frobnicator/7" }, by("bot")],
    [
      "a phone whose name has bot in it",
      { userAgent: chrome.replace("Windows NT 10.0", "Linux; Android 10; CUBOT X20") },
      human,
    ],
    [
      "a phone whose name is Spider",
      { userAgent: chrome.replace("Windows NT 10.0", "Linux; Android 13; Spider 8") },
      human,
    ],
  ]);
});

test("image proxies fetch for people, unless the mail has hardly arrived", () => {
  const proxied: Judgement = { machine: false, proxied: "gmail" };
  hold([
    ["Gmail", { kind: "open", userAgent: gmailProxy }, proxied],
    [
      "Gmail, of a time that is unknown",
      { kind: "open", userAgent: gmailProxy, sinceAcceptedMs: null },
      proxied,
    ],
    ["Gmail, at delivery", { kind: "open", userAgent: gmailProxy, sinceAcceptedMs: 2_999 }, by("too_fast")],
    ["Gmail, just after", { kind: "open", userAgent: gmailProxy, sinceAcceptedMs: 3_000 }, proxied],
    [
      "Yahoo",
      { kind: "open", userAgent: "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html" },
      { machine: false, proxied: "yahoo" },
    ],
    ["Fastmail", { kind: "open", userAgent: "FastmailUA/1.0" }, { machine: false, proxied: "fastmail" }],
    ["an image proxy that follows a link", { userAgent: gmailProxy }, by("bot")],
  ]);
});

test("Apple's background fetches are told by the bare user agent, or by Apple Mail through Apple's relay", () => {
  hold([
    ["the bare name", { kind: "open", userAgent: "Mozilla/5.0" }, by("apple_mpp")],
    ["the bare name on a link", { userAgent: "Mozilla/5.0" }, by("bot")],
    [
      "Apple Mail through the relay",
      { kind: "open", userAgent: appleMail, address: "172.225.158.176" },
      by("apple_mpp"),
    ],
    ["Apple Mail by itself", { kind: "open", userAgent: appleMail }, human],
    ["Safari through the relay", { kind: "open", address: "172.225.158.176" }, human],
    ["a click through the relay", { address: "2a02:26f7:c9c4:654c::9" }, human],
  ]);
});

test("nobody browses from the networks of gateways", () => {
  hold([
    ["Microsoft", { address: "40.107.218.12" }, by("security_gateway")],
    ["Microsoft, written as IPv6", { address: "::ffff:40.107.218.12" }, by("security_gateway")],
    ["Microsoft, by IPv6", { address: "2a01:111:f403::1" }, by("security_gateway")],
    ["Proofpoint", { address: "67.231.152.1" }, by("security_gateway")],
    ["Barracuda", { address: "209.222.82.3" }, by("security_gateway")],
    ["an unknown address", { address: null }, human],
    ["no address at all", { address: "unknown, 10.0.0.1" }, human],
  ]);
});

test("clicks and opens that come sooner than a person could are a machine's", () => {
  hold([
    ["a click at 1.9 s", { sinceAcceptedMs: 1_999 }, by("too_fast")],
    ["a click at 2 s", { sinceAcceptedMs: 2_000 }, human],
    ["an open at 0.9 s", { kind: "open", sinceAcceptedMs: 999 }, by("too_fast")],
    ["an open at 1 s", { kind: "open", sinceAcceptedMs: 1_000 }, human],
    ["a click before the acceptance", { sinceAcceptedMs: -300 }, by("too_fast")],
    ["a click of an unknown time", { sinceAcceptedMs: null }, human],
    ["a click of a broken time", { sinceAcceptedMs: Number.NaN }, human],
  ]);
});

test("three different links within three seconds are a burst, from whatever address", () => {
  const two = [aRecentHit({ link: 2 }), aRecentHit({ link: 3, network: "192.0.2.0/24" })];
  hold([
    ["two more links", { recent: two }, by("burst")],
    ["one more link", { recent: two.slice(1) }, human],
    ["the same link again and again", { recent: two.map((hit) => ({ ...hit, link: 1 })) }, human],
    ["too long ago", { recent: two.map((hit) => ({ ...hit, at: now - 3_001 })) }, human],
    ["opens", { recent: two.map((hit) => ({ ...hit, kind: "open", link: null })) }, human],
    ["an open after clicks", { kind: "open", recent: two }, human],
  ]);
});

test("a burst flags the clicks that were taken for a person's", () => {
  const recent = [
    aRecentHit({ link: 2 }),
    aRecentHit({ link: 3, reason: "head" }),
    aRecentHit({ at: now - 9_000 }),
  ];
  assert.deepEqual(listClicksToFlag(aHit({ recent })), [recent[0]]);
  assert.deepEqual(listClicksToFlag(aHit({ recent: recent.slice(0, 1) })), []);
});

test("what has shown itself to be a machine is one when it asks again", () => {
  const same = aRecentHit({
    network: "203.0.113.0/24",
    userAgentHash: "chrome",
    reason: "head",
    at: now - 9_000,
  });
  hold([
    ["after HEAD", { recent: [same] }, by("same_machine")],
    ["from another network", { network: "192.0.2.0/24", recent: [same] }, human],
    ["with another user agent", { userAgentHash: "safari", recent: [same] }, human],
    ["eleven seconds later", { recent: [{ ...same, at: now - 11_000 }] }, human],
    ["after a prefetch", { recent: [{ ...same, reason: "prefetch" }] }, human],
    ["after a person", { recent: [{ ...same, reason: null }] }, human],
  ]);
});

test("an open by a machine counts as a person's once a person clicked after it", () => {
  const open = { at: 10, machine: true };
  assert.equal(countsAsHuman(open, []), false);
  assert.equal(countsAsHuman(open, [{ at: 11, machine: true }]), false);
  assert.equal(countsAsHuman(open, [{ at: 9, machine: false }]), false);
  assert.equal(
    countsAsHuman(open, [
      { at: 11, machine: true },
      { at: 12, machine: false },
    ]),
    true,
  );
  assert.equal(countsAsHuman({ at: 10, machine: false }, []), true);
});

test("the page about machines lists the rules in their order", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/machines.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
  assert.deepEqual(
    listed,
    rules.map(({ reason }) => reason),
  );
});
