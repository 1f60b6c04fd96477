/** Measures how many bounces a second come in by SMTP, each answered once it is durable, against the package smtp-server. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Setting } from "../harness/bench.ts";
import { type Contest, judgeAlone, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { type FilledDatabase, fillDatabase, startService } from "../send/service.ts";
import { runSmtpLoad, type SmtpLoad } from "../submission/load.ts";

const CONNECTIONS = 40;
const ASKED_A_SECOND = 500;
/** The reference checks no address, looks for no mail that came before, seals nothing, and adds no job. */
const ASKED_RATIO = 0.4;
const PEOPLE = 100;
const WARM_UP_SECONDS = 3;
const DOMAIN = "bounces.example.net";

export const inboundBench: Bench = {
  name: "inbound",
  summary: "bounces of 6 KB taken by SMTP a second, by 40 connections, durable when they are answered",
  async *run(setting) {
    const database = await fillDatabase(setting, "inbound", PEOPLE);
    const port = 20_000 + (process.pid % 20_000);
    const env = { ...database.env, INBOUND_DOMAIN: DOMAIN, INBOUND_PORT: String(port) };
    const returnPath = await readReturnPath({ ...database, env });
    // Reading what came is a job's work, and another process's here.
    const ours = await startService({ ...database, env }, { roles: "public" });
    const file = join(import.meta.dirname, "../reference/bare-inbound.ts");
    const args = [database.env["DATABASE_URL"] ?? ""];
    const reference = startProgram({ file, args, cwd: setting.folder });
    try {
      const barePort = await reference.hear((said) => (said as { port?: number }).port);
      const load = { connections: CONNECTIONS, mailOf: (n: number) => bounceOf(returnPath, n) };
      const contest: Contest = {
        name: "bounces taken by SMTP, against smtp-server with a transaction for each",
        unit: "mail",
        asked: ASKED_RATIO,
        ours: turnOf(setting, ours.program, { ...load, port }),
        reference: turnOf(setting, reference, { ...load, port: barePort }),
      };
      for (const at of [port, barePort]) await runSmtpLoad({ ...load, port: at }, WARM_UP_SECONDS);
      const samples = await runInTurns(contest, setting);
      yield judgeContest(contest, samples);
      yield judgeAlone("bounces taken by SMTP", "mail", ASKED_A_SECOND, samples.ours);
    } finally {
      await Promise.all([ours.program.stop(), reference.stop()]);
    }
  },
};

function turnOf({ postgres, sizes }: Setting, program: Program, load: SmtpLoad) {
  return () => measure(postgres, program.pid, () => runSmtpLoad(load, sizes.seconds));
}

/** Sends a mail into the sandbox, which shows the return path that it left with. */
async function readReturnPath(database: FilledDatabase): Promise<string> {
  const service = await startService(database, { roles: "api,sender" });
  try {
    const mail = { from: "a@acme.example", to: ["b@example.com"], subject: "Hello", text: "Hello" };
    await service.ask("POST", "/emails", mail);
    for (;;) {
      const [caught] = (await service.ask("GET", "/sandbox/messages")).data;
      if (caught) return caught.from;
      await sleep(50);
    }
  } finally {
    await service.program.stop();
  }
}

const RETURNED = "Received: from one.example by two.example; Mon, 16 Nov 2026 12:00:00 +0000\r\n".repeat(60);

/** Each differs, since the same one is kept once. */
function bounceOf(to: string, n: number) {
  const content = [
    `Message-ID: <${process.pid}.${n}@mx.example.com>`,
    "From: MAILER-DAEMON@mx.example.com",
    "Subject: Undelivered Mail Returned to Sender",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="half"',
    "",
    "--half",
    "",
    "It could not be delivered.",
    "--half",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.com",
    "",
    "Final-Recipient: rfc822; b@example.com",
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    "",
    "--half",
    "Content-Type: text/rfc822-headers",
    "",
    `${RETURNED}--half--`,
    "",
  ].join("\r\n");
  return { from: "", to, content };
}
