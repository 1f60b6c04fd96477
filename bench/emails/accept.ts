/** Compares how many mails are accepted a second with a bare Fastify that inserts the same rows, and batches with single mails. */
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { type Load, runLoad, warmUp } from "../harness/load.ts";
import { measure } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { type FilledDatabase, fillDatabase, startService } from "../send/service.ts";

const CONNECTIONS = 32;
const LEAD_IN_SECONDS = 0.3;
const PEOPLE = 1_000;
const IN_A_BATCH = 100;
/** A mail of 10 KB. */
const HTML = `<!doctype html><title>Receipt</title>${"<p>Thank you for your order of 2026.</p>".repeat(210)}`;
const TEXT = "Thank you for your order of 2026.\n".repeat(60);

export async function* acceptFigures(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "emails_accept", PEOPLE);
  const ours = await startService(database, { roles: "api" });
  const url = database.env["DATABASE_URL"] ?? "";
  const file = join(import.meta.dirname, "../reference/bare-emails.ts");
  const reference = startProgram({ file, args: [url], cwd: setting.folder });
  try {
    const [account] = await database.query("select account_id from accounts limit 1");
    const path = `/${account?.["account_id"]}/emails`;
    const port = await reference.hear((said) => (said as { port?: number }).port);
    const single = loadOf(database, ours.port, 202, "/v1/emails", (n) => mail(n));
    const bare: Load = { ...single, port, request: () => post(path, "", JSON.stringify(mail(1))) };
    const sides = { ours: ours.program, reference };
    const alone = "POST /v1/emails, accepted, against a bare Fastify with the same inserts";
    yield await contest(alone, 0.5, { ours: single, reference: bare }, sides, setting);
    const many = loadOf(database, ours.port, 200, "/v1/emails/batch", (n) => ({
      emails: Array.from({ length: IN_A_BATCH }, (_, nth) => mail(n * IN_A_BATCH + nth)),
    }));
    yield await contest(
      "mails accepted a second in batches of 100, against one by one",
      8,
      { ours: { ...many, connections: 4 }, reference: single },
      { ours: ours.program, reference: ours.program },
      setting,
      IN_A_BATCH,
    );
  } finally {
    await Promise.all([ours.program.stop(), reference.stop()]);
  }
}

type Sides<T> = { readonly ours: T; readonly reference: T };

async function contest(
  name: string,
  asked: number,
  loads: Sides<Load>,
  programs: Sides<Program>,
  { postgres, sizes, ...setting }: Setting,
  each = 1,
): Promise<Result> {
  const turn = (side: "ours" | "reference") => async () => {
    const times = side === "ours" ? each : 1;
    const run = async () => {
      const work = await runLoad(loads[side], sizes.seconds);
      return { ...work, units: work.units * times };
    };
    await runLoad(loads[side], LEAD_IN_SECONDS);
    return measure(postgres, programs[side].pid, run);
  };
  if (each === 1) for (const side of ["ours", "reference"] as const) await warmUp(loads[side]);
  const fought: Contest = { name, unit: "mail", asked, ours: turn("ours"), reference: turn("reference") };
  return judgeContest(fought, await runInTurns(fought, { postgres, sizes, ...setting }));
}

function mail(n: number) {
  return {
    from: "Acme <billing@acme.example>",
    to: [`person${n % 10_000}@example.com`],
    subject: "Your receipt",
    html: HTML,
    text: TEXT,
  };
}

function loadOf(
  { key }: FilledDatabase,
  port: number,
  status: number,
  path: string,
  body: (n: number) => unknown,
): Load {
  let sent = 0;
  const request = () => {
    const head = `authorization: Bearer ${key}\r\nidempotency-key: ${path}-${++sent}-${process.pid}\r\n`;
    return post(path, head, JSON.stringify(body(sent)));
  };
  return { connections: CONNECTIONS, status, port, request };
}

function post(path: string, headers: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
  );
}
