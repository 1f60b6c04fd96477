/**
 * A statement says what a period costs, line by line. Once the period is closed it is stored and never changes; until then it is reckoned whenever
 * somebody asks. Its proof says of what its mails were. Other rooms use this file alone.
 */
import type { Clock } from "../../platform/clock.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { type Line, writeRate } from "../lines.ts";
import { writeAmount } from "../money.ts";
import { proofUnavailable } from "../problems.ts";
import { type Draft, reckonStatements } from "./reckoning.ts";
import type { ProofSource, Statement } from "./schema.ts";
import { nameSources } from "./sources.ts";
import {
  countStatements,
  findStatement,
  listSources,
  listStatements,
  type Position,
  type SourceRow,
  type StatementRow,
} from "./statement-store.ts";

export { closeStatementsJob } from "./close-statements.ts";

/** Whose statements are read: the caller's own account's, or those of the one that an operator asks for. */
export type Reading = { readonly sql: Queryable; readonly accountId: string; readonly clock: Clock };

/** Reckons the statements of periods that have begun and aren't closed, the oldest first. */
async function reckonOpen(
  { sql, accountId, clock }: Reading,
  withSources = false,
): Promise<readonly Draft[]> {
  const now = clock.now();
  const { drafts } = await reckonStatements(sql, [accountId], { by: now, now, closes: false, withSources });
  return drafts;
}

/** Reckons what the period that lasts now costs so far; undefined where the account has no plan. */
export async function reckonRunning(reading: Reading): Promise<StatementRow | undefined> {
  const now = reading.clock.now();
  const last = (await reckonOpen(reading)).at(-1)?.statement;
  return last && last.period_to > now ? last : undefined;
}

/**
 * Says what the periods without a statement use of the account's credits: mails that were sent, also in the period that lasts, and amounts only of
 * periods that are over. What the one that lasts will cost isn't known.
 */
export async function readUsedCredits(reading: Reading, currency: string | null): Promise<number> {
  const now = reading.clock.now();
  const statements = (await reckonOpen(reading)).map(({ statement }) => statement);
  if (currency === null) return statements.reduce((sum, { spent_mails }) => sum + spent_mails, 0);
  return statements
    .filter((one) => one.currency === currency && one.period_to <= now)
    .reduce((sum, { spent_amount }) => sum + spent_amount, 0);
}

type Asked = {
  readonly state: "open" | "closed" | undefined;
  readonly limit: number;
  readonly after: Position | undefined;
  readonly counts: boolean;
};

/** Lists statements newest first. Those that are open are newer than all that are closed, since periods are closed in their order. */
export async function listAllStatements(
  reading: Reading,
  { state, limit, after, counts }: Asked,
): Promise<{ rows: StatementRow[]; total: number | undefined }> {
  const { sql, accountId } = reading;
  // What is closed in between is in both, and shown once.
  const drafts = state === "closed" ? [] : await reckonOpen(reading);
  const stored = state === "open" ? [] : await listStatements(sql, accountId, { limit, after });
  const known = new Set(stored.map(({ id }) => id));
  const open = drafts.map(({ statement }) => statement).filter(({ id }) => !known.has(id));
  const shown = open.toReversed().filter((row) => after === undefined || isBehind(row, after));
  const closed = counts && state !== "open" ? await countStatements(sql, accountId) : 0;
  return { rows: [...shown, ...stored].slice(0, limit), total: counts ? open.length + closed : undefined };
}

function isBehind({ period_from, id }: StatementRow, after: Position): boolean {
  const from = period_from.toISOString();
  return from < after.from || (from === after.from && id < after.id);
}

export async function readStatement(reading: Reading, id: string): Promise<StatementRow> {
  const stored = await findStatement(reading.sql, reading.accountId, id);
  const row = stored ?? (await reckonOpen(reading)).find(({ statement }) => statement.id === id)?.statement;
  if (!row) throw missing("statement");
  return row;
}

export type Proof = { readonly statement: StatementRow; readonly sources: readonly SourceRow[] };

/** Reads of what the mails of a statement were, in an order that stays while it is open. */
export async function readProof(reading: Reading, id: string): Promise<Proof> {
  const { sql, accountId } = reading;
  const stored = await findStatement(sql, accountId, id);
  const proof = stored
    ? { statement: stored, sources: await listSources(sql, accountId, id) }
    : (await reckonOpen(reading, true).catch(refuseSlow)).find(({ statement }) => statement.id === id);
  if (!proof) throw missing("statement");
  const sources = proof.sources.toSorted((one, other) => (keyOf(proof, one) < keyOf(proof, other) ? -1 : 1));
  return { statement: proof.statement, sources };
}

function refuseSlow(error: unknown): never {
  if (!(error instanceof DbError) || error.kind !== "busy") throw error;
  throw new AppError(
    proofUnavailable,
    "there are too many mails to be counted now; ask again once the period is closed",
  );
}

/** Names a source within a proof, so that they sort: its own period's before late ones, campaigns first, and of these the oldest. */
export function keyOf({ statement }: Proof, row: SourceRow): string {
  const late = row.of_statement_id === statement.id ? "" : row.of_statement_id;
  const kind = ["campaign", "automation", "transactional", "unattributed"].indexOf(row.kind);
  return [late, kind, row.owner_id, row.stream].join(" ");
}

/** Shows a page of sources, with how much was sent of each in all, which may be more by now than when the statement was closed. */
export async function shapeSources(
  { sql, accountId }: Reading,
  { statement }: Proof,
  rows: readonly SourceRow[],
): Promise<ProofSource[]> {
  const named = await nameSources(sql, accountId, rows);
  return named.map((row) => ({
    object: "statement_source",
    kind: row.kind,
    stream: row.stream as ProofSource["stream"],
    id: publicIdOf(row),
    name: row.name,
    accepted: row.accepted,
    sent_in_all: row.sent_in_all,
    late_of: row.of_statement_id === statement.id ? null : toPublicId("sta", row.of_statement_id),
  }));
}

function publicIdOf({ kind, owner_id }: SourceRow): string | null {
  if (kind === "campaign") return toPublicId("cmp", owner_id);
  return kind === "automation" ? toPublicId("aut", owner_id) : null;
}

export function shapeStatement(row: StatementRow, now: Date): Statement {
  const { bill, currency } = row;
  return {
    object: "statement",
    id: toPublicId("sta", row.id),
    state: row.closed_at === null ? "open" : "closed",
    period: { from: row.period_from.toISOString(), to: row.period_to.toISOString() },
    is_trial: bill.is_trial,
    plan_name: bill.plan_name,
    currency,
    mails: bill.mails,
    lines: bill.lines.map((line) => shapeLine(line, currency)),
    subtotal: writeAmount(bill.subtotal, currency),
    overage: writeAmount(row.overage, currency),
    tax: writeAmount(bill.tax, currency),
    total: writeAmount(row.total, currency),
    closed_at: row.closed_at?.toISOString() ?? null,
    created_at: row.period_from.toISOString(),
    updated_at: (row.closed_at ?? now).toISOString(),
  };
}

function shapeLine(line: Line, currency: string): Statement["lines"][number] {
  const amount = writeAmount(line.amount, currency);
  if (line.kind === "tax") return { kind: line.kind, label: line.label, rate: writeRate(line.rate), amount };
  if (line.kind === "base" || line.kind === "credit") return { kind: line.kind, amount };
  const { kind, mails, included, credited, charged } = line;
  const stream = line.stream as NonNullable<Statement["lines"][number]["stream"]>;
  const late = line.kind === "late" ? { statement_id: toPublicId("sta", line.statement_id) } : {};
  return { kind, stream, mails, included, credited, charged, ...late, amount };
}
