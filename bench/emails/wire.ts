/**
 * Measures from when a mail is accepted until a server has taken it, by the times that the program itself writes: they contain
 * the commit, the wake-up, the lease, composing and the whole SMTP transaction.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result, Setting } from "../harness/bench.ts";
import { median, percentile99 } from "../harness/numbers.ts";
import { keepSinkApart } from "../mail/cores.ts";
import { startSink } from "../mail/sink.ts";
import {
  type FilledDatabase,
  fillDatabase,
  makeCampaign,
  type Service,
  sendPipelined,
  startService,
} from "../send/service.ts";
import { CONNECTIONS } from "../send/speed.ts";

const PER_SECOND = 20;
const IDLE_SECONDS = 10;
const WITHIN_MS = { p50: 100, p99: 1_000 };
const LOOK_EVERY_MS = 100;

export async function* wireFigures(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "emails_wire", Math.ceil(setting.sizes.rows / 10));
  const sink = await startSink(setting.folder);
  keepSinkApart(sink.pid);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  try {
    await sendSome(service, database, async (nth) => nth < 20);
    const untilMs = Date.now() + IDLE_SECONDS * 1_000;
    yield* judge("idle", await sendSome(service, database, async () => Date.now() < untilMs));
    let isSent = false;
    const sending = sendPipelined(service, await makeCampaign(service, database)).finally(() => {
      isSent = true;
    });
    yield* judge("beside a campaign", await sendSome(service, database, async () => !isSent));
    await sending;
  } finally {
    await service.program.stop();
    await sink.stop();
  }
}

/** Sends mails at a fixed rate while `goesOn` says so, and returns the milliseconds of each once all are sent. */
async function sendSome(
  service: Service,
  database: FilledDatabase,
  goesOn: (nth: number) => Promise<boolean>,
): Promise<number[]> {
  const tag = `bench${Date.now()}`;
  const asked: Promise<unknown>[] = [];
  for (let nth = 0; await goesOn(nth); nth++) {
    const to = [`person${nth}@wire${nth % 50}.example`];
    const mail = { from: "billing@acme.example", to, subject: tag, text: "Thank you." };
    asked.push(service.ask("POST", "/emails", mail));
    await sleep(1_000 / PER_SECOND);
  }
  const ids = (await Promise.all(asked)).length;
  for (;;) {
    const rows = await database.query(`
      select extract(epoch from d.changed_at - e.created_at) * 1000 as ms
      from emails e join deliveries d on d.account_id = e.account_id and d.source_id = e.wave_id
        and d.contact_id = (left(e.id::text, 34) || '01')::uuid
      where d.state = 'sent' order by e.id desc limit ${ids}`);
    const open = await database.query(
      `select 1 from deliveries where stream = 'transactional' and state <> 'sent'`,
    );
    if (open.length === 0) return rows.map(({ ms }) => Number(ms));
    await sleep(LOOK_EVERY_MS);
  }
}

function* judge(when: string, times: readonly number[]): Iterable<Result> {
  const found = { p50: median(times), p99: percentile99(times) };
  for (const which of ["p50", "p99"] as const) {
    const [ours, asked] = [found[which], WITHIN_MS[which]];
    const name = `${which} in ms from accepted to sent, ${when}`;
    yield {
      figure: { name, ours, reference: null, ratio: null, asked, ok: ours <= asked },
      unit: "ms",
      headline: `${ours.toFixed(0)} ms, asked ≤ ${asked} ms`,
      details: [`${times.length} mails, the slowest ${Math.max(...times).toFixed(0)} ms`],
    };
  }
}
