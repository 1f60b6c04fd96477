/** Measures how soon: from when somebody is due until they are led on, from a trigger to the ledger, and to the wire beside a campaign. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, sql } from "../../src/platform/db/db.ts";
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
import { openDb } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { MAIL, startAutomation } from "./started.ts";

const ASKED = { wakeP99Ms: 1_500, ledgerP50Ms: 1_000, wireP99Ms: 5_000 };
const WAKE_SECONDS = 20;
const WOKEN = 1_000;
const COME_SECONDS = 15;
const COME_EVERY_MS = 100;
const LOOK_EVERY_MS = 20;
const SETTLED_WITHIN_MS = 60_000;

export async function* latencyFigures(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "automations_latency", Math.ceil(setting.sizes.rows / 10));
  const sink = await startSink(setting.folder);
  keepSinkApart(sink.pid);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  const db = openDb(database.env["DATABASE_URL"] ?? "");
  try {
    yield await wakeUps(db, service, database);
    const { id: listId } = await service.ask("POST", "/lists", { name: "Who comes" });
    const automationId = await startAutomation(
      service,
      { listId },
      { hello: { ...MAIL, next: "end" }, end: END },
    );
    yield await triggers(db, service, listId, automationId);
    yield await beside(db, service, database, listId);
  } finally {
    await db.close();
    await service.program.stop();
    await sink.stop();
  }
}

const END = { type: "end" };

/** People fall due all the time; each is seen in the journal by another connection, so the commit is part of it. */
async function wakeUps(db: Db, service: Service, database: FilledDatabase): Promise<Result> {
  const nodes = { pause: { type: "wait", for: "PT1M", next: "end" }, end: END };
  const id = await startAutomation(service, database, nodes);
  const runs = await db.many<{ id: string; due_at: Date }>(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, woken_by, entered_at, arrived_at,
      due_at)
    select account_id, ${id}, uuidv7(), id, 1, 'pause', 'time', at - interval '1 minute', at - interval '1 minute', at
    from (select account_id, id, now() + interval '2 s' + random() * make_interval(secs => ${WAKE_SECONDS}) as at
          from subscribers where status = 'active' limit ${WOKEN}) as s
    returning id, due_at`);
  const dueMs = new Map(runs.map((run) => [run.id, run.due_at.getTime()]));
  const late = await seeAll(dueMs, () =>
    db.many<{ id: string }>(
      sql`select run_id as id from automation_journal where automation_id = ${id} and node = 'pause'`,
    ),
  );
  return judgeLimit("p99 from due to led on", percentile99(late), ASKED.wakeP99Ms, inMs, [
    `${late.length} people, p50 ${inMs(median(late))}, the slowest ${inMs(Math.max(...late))}`,
  ]);
}

/** From the answer to whoever added somebody to the list until their row of the ledger is seen. */
async function triggers(db: Db, service: Service, listId: string, automationId: string): Promise<Result> {
  const answeredMs = new Map<string, number>();
  let isOver = false;
  const seeing = seeAll(
    answeredMs,
    () =>
      db.many<{ id: string }>(sql`
        select s.email as id from automation_journal j
        join deliveries d on d.account_id = j.account_id and d.source_id = j.source_id and d.contact_id = j.contact_id
        join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
        where j.automation_id = ${automationId}`),
    () => isOver,
  );
  const untilMs = Date.now() + COME_SECONDS * 1_000;
  for (let nth = 0; Date.now() < untilMs; nth++) {
    const email = `comes${nth}@idle.example`;
    await service.ask("POST", "/subscribers", { email, list_id: listId });
    answeredMs.set(email, Date.now());
    await sleep(COME_EVERY_MS);
  }
  isOver = true;
  const late = await seeing;
  return judgeLimit("p50 from a trigger to the ledger", median(late), ASKED.ledgerP50Ms, inMs, [
    `${late.length} people, p99 ${inMs(percentile99(late))}, the slowest ${inMs(Math.max(...late))}`,
  ]);
}

/** From when somebody was added until a server has taken their mail, by the times that the program itself writes. */
async function beside(db: Db, service: Service, database: FilledDatabase, listId: string): Promise<Result> {
  let isSent = false;
  const sending = sendPipelined(service, await makeCampaign(service, database)).finally(() => {
    isSent = true;
  });
  for (let nth = 0; !isSent; nth++) {
    await service.ask("POST", "/subscribers", { email: `comes${nth}@beside.example`, list_id: listId });
    await sleep(COME_EVERY_MS);
  }
  const { recipients, seconds } = await sending;
  const untilMs = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const rows = await db.many<{ ms: number | null }>(sql`
      select extract(epoch from d.changed_at - s.created_at)::float8 * 1000 as ms from subscribers s
      left join deliveries d on d.account_id = s.account_id and d.subscriber_id = s.id and d.state = 'sent'
      where s.email like '%@beside.example'`);
    const late = rows.flatMap(({ ms }) => (ms === null ? [] : [ms]));
    if (late.length === rows.length)
      return judgeLimit(
        "p99 from a trigger to the wire, beside a campaign",
        percentile99(late),
        ASKED.wireP99Ms,
        inMs,
        [
          `${late.length} people, p50 ${inMs(median(late))}, the slowest ${inMs(Math.max(...late))}; the campaign sent ${Math.round(recipients / seconds)}/s`,
        ],
      );
    if (Date.now() > untilMs) throw new Error(`${rows.length - late.length} mails were not sent`);
    await sleep(LOOK_EVERY_MS * 10);
  }
}

/** Looks until all were seen, and returns how late each was. More may be added until `isOver`. */
async function seeAll(
  fromMs: ReadonlyMap<string, number>,
  look: () => Promise<readonly { id: string }[]>,
  isOver: () => boolean = () => true,
): Promise<number[]> {
  const seenMs = new Map<string, number>();
  const all = () => isOver() && seenMs.size >= fromMs.size;
  let untilMs = Date.now() + SETTLED_WITHIN_MS;
  while (!all()) {
    const rows = await look();
    const now = Date.now();
    for (const { id } of rows) if (!seenMs.has(id)) seenMs.set(id, now);
    if (rows.length > 0 && !isOver()) untilMs = now + SETTLED_WITHIN_MS;
    if (now > untilMs) throw new Error(`${fromMs.size - seenMs.size} were never led on`);
    await sleep(LOOK_EVERY_MS);
  }
  return [...seenMs].map(([id, at]) => Math.max(0, at - (fromMs.get(id) ?? at)));
}
