/** Writes everything that an account has as it was at one moment, however long that takes. */
import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { type Db, sql, type Tx } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { TABLES } from "../tables/tables.ts";
import type { Chunks, Piece } from "./chunks.ts";
import { lineWriter, readColumnTypes, rowsOf } from "./lines.ts";

const FORMAT = 1;

export type Snapshot = {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accountId: string;
};

/** Gathers all lines in `chunks`, hands each piece of them to `write`, and waits for it each time. */
export async function writeSnapshot(
  { db, clock, secrets, accountId }: Snapshot,
  chunks: Chunks,
  write: (piece: Piece) => Promise<void>,
): Promise<void> {
  let hasBegun = false;
  await db.transaction(async (tx) => {
    // A transaction is run again after a conflict, and what was written can't be taken back. One that only reads has none.
    if (hasBegun) throw new Error("an export can't begin a second time");
    hasBegun = true;
    await tx.execute(sql`set transaction isolation level repeatable read, read only`);
    await tx.execute(sql`set local time zone 'UTC'`);
    const digest = createHash("sha256");
    const flush = async (all?: "all") => {
      for (const piece of chunks.take(all)) {
        digest.update(new Uint8Array(piece.memory, 0, piece.bytes));
        await write(piece);
      }
    };
    chunks.add(heading(accountId, clock.now()));
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      if ("leftOut" in table) continue;
      const finish = await table.more.finish?.({ db: tx, accountId, secrets });
      counts[table.object] = await writeTable(tx, accountId, { table, finish, add: chunks.add, flush });
    }
    await flush("all");
    chunks.add(ending(counts, digest.digest("hex")));
    for (const piece of chunks.take("all")) await write(piece);
  });
}

async function writeTable(
  tx: Tx,
  accountId: string,
  {
    table,
    finish,
    add,
    flush,
  }: {
    table: Parameters<typeof rowsOf>[2];
    finish: Parameters<typeof lineWriter>[2];
    add: (line: string) => void;
    flush: () => Promise<void>;
  },
): Promise<number> {
  const types = await readColumnTypes(tx, table.table);
  const lineOf = lineWriter(table, types, finish);
  let count = 0;
  for await (const rows of rowsOf(tx, accountId, table, types)) {
    for (const row of rows) {
      const line = lineOf(row);
      if (line === "") continue;
      add(line);
      count++;
    }
    await flush();
  }
  return count;
}

function heading(accountId: string, at: Date): string {
  const withheld = TABLES.flatMap((one) => ("leftOut" in one ? [[one.table, one.leftOut]] : []));
  return toLine({
    object: "account_export",
    format: FORMAT,
    account_id: toPublicId("acc", accountId),
    created_at: at.toISOString(),
    left_out: Object.fromEntries(withheld),
  });
}

/** The last line says how many there were of each, and the digest of all lines before it: whoever has it has everything. */
function ending(counts: Readonly<Record<string, number>>, sha256: string): string {
  const lines = Object.values(counts).reduce((sum, count) => sum + count, 2);
  return toLine({ object: "account_export_end", lines, counts, sha256 });
}

function toLine(line: object): string {
  return `${JSON.stringify(line)}\n`;
}
