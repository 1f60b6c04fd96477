/** This check says whether the schema is what this program needs. */
import { sql } from "../../platform/db/db.ts";
import { type Applied, readMigrations, refuseMismatch } from "../../platform/db/migrate.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

export const migrationsCheck: Check<DatabaseEnv> = {
  name: "migrations",
  async run({ look, migrations }) {
    const known = readMigrations(migrations);
    return look(async (tx) => {
      const has = await tx.one<{ applied: boolean; queue: boolean }>(sql`
        select to_regclass('schema_migrations') is not null as applied,
               to_regclass('graphile_worker.jobs') is not null as queue`);
      const applied = has.applied
        ? await tx.many<Applied>(sql`select version, name, checksum from schema_migrations order by version`)
        : [];
      return judgeMigrations(known, applied, has.queue);
    });
  },
};

export function judgeMigrations(
  known: readonly Applied[],
  applied: readonly Applied[],
  hasQueue: boolean,
): Result {
  const mismatch = findMismatch(known, applied);
  if (mismatch) return { status: "fail", finding: mismatch.message, remedy: mismatch.remedy };
  if (applied.length === 0)
    return { status: "info", finding: "the database is empty: the first start makes the tables" };
  const done = new Set(applied.map(({ version }) => version));
  const waiting = known.filter(({ version }) => !done.has(version));
  if (waiting.length > 0) {
    return {
      status: "warn",
      finding: `${waiting.length} of ${known.length} wait: ${waiting.map(({ name }) => name).join(", ")}`,
      remedy: "`npm start` applies them, and so does `npm run postrider -- migrate`",
    };
  }
  if (!hasQueue) {
    return {
      status: "fail",
      finding: "the tables of the job queue (schema graphile_worker) are missing",
      remedy:
        "`npm run postrider -- migrate` makes them; jobs that were in them are lost, unless a backup has them",
    };
  }
  return { status: "ok", finding: `all ${known.length} applied, and the job queue's tables are there` };
}

function findMismatch(known: readonly Applied[], applied: readonly Applied[]): StartupError | undefined {
  try {
    refuseMismatch(known, applied);
    return undefined;
  } catch (error) {
    if (error instanceof StartupError) return error;
    throw error;
  }
}
