/** Reads how PostgreSQL went about a statement, for tests that hold how much a question may read. */
import { createAccount } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, type Queryable, type Sql, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "./database.ts";

/** A step of a plan, as PostgreSQL's own document names what it did. */
export type Step = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Step[];
};

export type BigAccount = { readonly db: Db; readonly accountId: string; readonly stop: () => Promise<void> };

/** Makes an account in a database of its own, in which a test may write as many rows as it likes. */
export async function createBigAccount(poolSize = 2): Promise<BigAccount> {
  const database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  const options = { poolSize, applicationName: "test", log, statementTimeoutMs: 60_000 };
  const db = createDb({ connection: database.url, ...options });
  const stop = async () => {
    await db.close();
    await database.drop();
  };
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Big" }));
  return { db, accountId: account.account_id, stop };
}

/** Runs the statement, and returns every step of its plan. */
export async function explain(db: Queryable, statement: Sql): Promise<Step[]> {
  const row = await db.one<{ "QUERY PLAN": [{ Plan: Step }] }>(
    sql`explain (analyze, format json) ${statement}`,
  );
  return flatten(row["QUERY PLAN"][0].Plan);
}

function flatten(step: Step): Step[] {
  return [step, ...(step.Plans ?? []).flatMap(flatten)];
}

/** Answers all that `work` asks with nothing, and then returns the steps of each statement. */
export async function explainAll(db: Queryable, work: (db: Queryable) => Promise<unknown>): Promise<Step[]> {
  const statements: Sql[] = [];
  const note = async (statement: Sql) => {
    statements.push(statement);
    return [];
  };
  await work({ ...db, many: note, one: note } as unknown as Queryable);
  const steps: Step[] = [];
  for (const statement of statements) steps.push(...(await explain(db, statement)));
  return steps;
}

/** Returns how many rows the step went through, all its repetitions together. */
export function rowsOf(step: Step): number {
  return (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"];
}
