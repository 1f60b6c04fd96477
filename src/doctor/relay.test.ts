import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../platform/clock.ts";
import { loadConfig } from "../platform/config/load.ts";
import { parseSmtpUrl } from "../platform/config/smtp-url.ts";
import type { Status } from "./check.ts";
import { judgeRelay, relayCheck } from "./relay.ts";
import type { Probe } from "./smtp-probe.ts";
import { startRelay } from "./smtp-server.fixture.ts";

const goodTls = { protocol: "TLSv1.3", fault: null };
const badTls = { protocol: "TLSv1.3", fault: "certificate has expired" };
const seen = (offers: string[], tls: typeof goodTls | typeof badTls | null = goodTls): Probe => ({
  kind: "seen",
  offers,
  tls,
});

const cases: [url: string, probe: Probe, status: Status, finding: RegExp, remedy?: RegExp][] = [
  [
    "smtp://u:p@mail.example.com",
    seen(["AUTH PLAIN", "PIPELINING"]),
    "ok",
    /TLSv1\.3, AUTH PLAIN, PIPELINING/,
  ],
  ["smtp://mail.example.com:25", seen([]), "ok", /no PIPELINING/],
  ["smtp://u:p@mail.example.com", seen(["AUTH PLAIN"], null), "fail", /plain text/, /smtps:/],
  ["smtp://u:p@mail.example.com", seen(["AUTH PLAIN"], badTls), "fail", /certificate has expired/],
  ["smtp://mail.example.com:25", seen([], badTls), "warn", /certificate has expired/],
  ["smtp://u:p@mail.example.com", seen(["PIPELINING"]), "fail", /no AUTH/],
  ["smtp://mail.example.com:25", seen([], null), "warn", /no STARTTLS/],
  ["smtp://mail.example.com:587", seen(["AUTH PLAIN"]), "warn", /submission port/],
  ["smtp://localhost:1025", seen([], null), "ok", /plain text/],
  ["smtp://u:p@localhost:1025", seen(["AUTH PLAIN"], badTls), "ok", /localhost:1025/],
  ["smtp://mail.example.com", { kind: "unreachable", reason: "ENOTFOUND" }, "fail", /ENOTFOUND/, /DNS/],
  [
    "smtp://mail.example.com",
    { kind: "unreachable", reason: "ECONNREFUSED" },
    "fail",
    /can't be/,
    /nothing listens on 587/,
  ],
  [
    "smtp://mail.example.com:25",
    { kind: "unreachable", reason: "no answer" },
    "fail",
    /no answer/,
    /block port 25/,
  ],
  [
    "smtp://mail.example.com:465",
    { kind: "broken", at: "the greeting", reason: "no answer" },
    "fail",
    /the greeting/,
    /smtps:\/\//,
  ],
  [
    "smtps://mail.example.com:587",
    { kind: "broken", at: "the TLS handshake", reason: "wrong version number" },
    "fail",
    /handshake/,
    /STARTTLS instead/,
  ],
  [
    "smtp://mail.example.com:25",
    { kind: "refused", at: "greeting", reply: { code: 554, lines: ["5.7.1 not you"] } },
    "fail",
    /“554 5\.7\.1 not you” to our connection/,
    /allowed/,
  ],
];

test("what a relay offers is judged", () => {
  for (const [url, probe, status, finding, remedy] of cases) {
    const result = judgeRelay(parseSmtpUrl(url), probe);
    assert.equal(result.status, status, `${url} ${JSON.stringify(probe)}`);
    assert.match(result.finding, finding);
    if (remedy) assert.match(result.remedy ?? "", remedy);
    assert.equal(result.remedy !== undefined, status !== "ok");
  }
});

const run = (settings: Record<string, string>) =>
  relayCheck.run({ ...loadConfig(settings, "no .env in tests"), clock: systemClock });

test("without SMTP_URL it says that nothing leaves", async () => {
  const { status, finding } = await run({});
  assert.equal(status, "info");
  assert.match(finding, /sandbox/);
});

test("a real relay on this machine is in order, and its password is not shown", async (t) => {
  const { port } = await startRelay(t, { offers: ["AUTH PLAIN", "PIPELINING"] });
  const result = await run({ SMTP_URL: `smtp://me:hunter2@127.0.0.1:${port}` });
  assert.deepEqual(result, {
    status: "ok",
    finding: `127.0.0.1:${port} answers: plain text, AUTH PLAIN, PIPELINING (no sign-in was tried)`,
  });
});
