import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedServer } from "../../../test/support/smtp/scripted-server.ts";
import { type Probe, parseSmtpUrl } from "../../mail/smtp/smtp.ts";
import { systemClock } from "../../platform/clock.ts";
import { loadConfig } from "../../platform/config/load.ts";
import type { Status } from "../check.ts";
import { judgeRelay, relayCheck } from "./relay.ts";

const seen = (isSecure = true, pipelining = true): Probe => ({
  failure: null,
  steps: [],
  isSecure,
  pipelining,
  sizeLimit: 0,
});
const failed = (phase: NonNullable<Probe["failure"]>["phase"], code: number | null, text: string): Probe => ({
  failure: { kind: "unreachable", phase, code, enhanced: null, text },
  steps: [],
  isSecure: false,
  pipelining: false,
  sizeLimit: null,
});

const cases: [url: string, probe: Probe, status: Status, finding: RegExp, remedy?: RegExp][] = [
  ["smtp://u:p@mail.example.com", seen(), "ok", /answers: TLS, signed in, PIPELINING/],
  ["smtp://mail.example.com:25", seen(true, false), "ok", /no sign-in, no PIPELINING/],
  ["smtp://localhost:1025", seen(false), "ok", /plain text/],
  ["smtp://mail.example.com:25", seen(false), "warn", /no STARTTLS/, /STARTTLS/],
  ["smtp://mail.example.com:587", seen(), "warn", /submission port/, /user:password/],
  ["smtp://u:p@mail.example.com?verify=false", seen(), "warn", /isn't checked/, /verify=false/],
  [
    "smtp://mail.example.com",
    failed("connect", null, "getaddrinfo ENOTFOUND mail.example.com"),
    "fail",
    /can't be reached \(getaddrinfo ENOTFOUND/,
    /how its name is spelt/,
  ],
  [
    "smtp://mail.example.com",
    failed("greeting", 554, "not you"),
    "fail",
    /“554 not you” at greeting/,
    /allow/,
  ],
  [
    "smtps://mail.example.com",
    failed("tls", null, "self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)"),
    "fail",
    /fails at tls/,
    /signed the server's certificate.*verify=false/,
  ],
  [
    "smtp://u:p@mail.example.com",
    failed("auth", 535, "no"),
    "fail",
    /“535 no” at auth/,
    /user name and password/,
  ],
];

test("what a relay says is judged", () => {
  for (const [url, probe, status, finding, remedy] of cases) {
    const result = judgeRelay(parseSmtpUrl(url), probe);
    assert.equal(result.status, status, `${url} ${JSON.stringify(probe)}`);
    assert.match(result.finding, finding);
    if (remedy) assert.match(result.remedy ?? "", remedy);
    assert.equal(result.remedy !== undefined, status !== "ok");
  }
});

const run = (settings: Record<string, string>) =>
  relayCheck.run({
    ...loadConfig(settings, "no .env in tests"),
    clock: systemClock,
    servesUnsubscribe: true,
  });

test("without SMTP_URL it says that nothing leaves", async () => {
  const { status, finding } = await run({});
  assert.equal(status, "info");
  assert.match(finding, /sandbox/);
});

test("an SMTP_URL that can't be read is named and not quoted", async () => {
  const result = await run({ SMTP_URL: "smtp://me:hunter2@mail.example.com/path" });
  assert.equal(result.status, "fail");
  assert.match(result.finding, /^SMTP_URL has a path/);
  assert.ok(!JSON.stringify(result).includes("hunter2"));
});

test("a real relay is signed in to, is sent no mail, and its password is not shown", async (t) => {
  const server = await startScriptedServer({
    EHLO: "250-test\r\n250-PIPELINING\r\n250 AUTH PLAIN",
    AUTH: ["235 come in", "535 no"],
  });
  t.after(() => server.close());
  const url = `smtp://me:hunter2@127.0.0.1:${server.port}`;
  const left = server.next("QUIT");
  assert.deepEqual(await run({ SMTP_URL: url }), {
    status: "ok",
    finding: `127.0.0.1:${server.port} answers: plain text, signed in, PIPELINING`,
  });
  await left;
  assert.deepEqual(
    server.lines.map((line) => line.split(" ")[0]),
    ["EHLO", "AUTH", "QUIT"],
  );
  const refused = await run({ SMTP_URL: url });
  assert.match(refused.finding, /535 no/);
  assert.ok(!JSON.stringify(refused).includes("hunter2"));
});
