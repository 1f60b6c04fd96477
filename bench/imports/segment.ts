/**
 * Measures how long it takes to count a segment of five conditions over a million subscribers, and by which query
 * plan.
 */
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { allFields } from "../../src/subscribers/fields/field-store.ts";
import { compileRule } from "../../src/subscribers/segments/compile.ts";
import { type Rule, readRules } from "../../src/subscribers/segments/rules.ts";
import { countStatement } from "../../src/subscribers/segments/segment-store.ts";
import type { Result } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";

const ASKED_SECONDS = 1;
const PREVIEWS = 9;

/**
 * The conditions ask for a custom field, a tag, a missing tag, an address and a status, which no index alone could
 * answer.
 */
const RULES = {
  all: [
    { field: "status", op: "is", value: "active" },
    { field: "tag", op: "has", value: "one in ten" },
    { not: { field: "tag", op: "has", value: "one in a hundred" } },
    { field: "fields.points", op: "at_least", value: 50 },
    { field: "email", op: "contains", value: "@example1" },
  ],
};

export type Filled = {
  readonly databaseUrl: string;
  readonly port: number;
  readonly key: string;
  readonly rows: number;
};

export async function previewSegment({ databaseUrl, port, key, rows }: Filled): Promise<Result> {
  const seconds: number[] = [];
  let count = 0;
  for (let turn = 0; turn < PREVIEWS; turn++) {
    const startedMs = performance.now();
    const reply = await fetch(`http://127.0.0.1:${port}/v1/segments/preview`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ rules: RULES }),
    });
    if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
    count = ((await reply.json()) as { count: number }).count;
    seconds.push((performance.now() - startedMs) / 1_000);
  }
  const ours = median(seconds);
  const show = (value: number) => `${(value * 1_000).toFixed(0)} ms`;
  return {
    figure: {
      name: `preview of a segment of five conditions, ${rows} subscribers`,
      ours,
      reference: null,
      ratio: null,
      asked: ASKED_SECONDS,
      ok: ours <= ASKED_SECONDS,
    },
    unit: "s",
    headline: `ours ${show(ours)} for ${count} who match, asked ≤ ${show(ASKED_SECONDS)}`,
    details: [`each of ${PREVIEWS} ${spread(seconds, show)}`, ...(await planOf(databaseUrl))],
  };
}

async function planOf(databaseUrl: string): Promise<readonly string[]> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({
    connection: databaseUrl,
    poolSize: 2,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  try {
    const { account_id: accountId } = await db.one<{ account_id: string }>(
      sql`select account_id from accounts`,
    );
    const fields = await allFields(db, accountId);
    const read = readRules(RULES, fields, "/rules");
    if (!("rule" in read)) throw new Error(JSON.stringify(read.faults));
    const condition = compileRule(read.rule satisfies Rule, { fields, now: new Date(), timeZone: "UTC" });
    const lines = await db.many<{ "QUERY PLAN": string }>(
      sql`explain (analyze, costs off, timing off) ${countStatement(accountId, null, condition)}`,
    );
    return lines.map((line) => line["QUERY PLAN"]);
  } finally {
    await db.close();
  }
}
