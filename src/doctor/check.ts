/** A check never runs longer than its limit, and never stops the others. */
import type { Clock } from "../platform/clock.ts";
import type { LoadedConfig } from "../platform/config/load.ts";
import type { Config } from "../platform/config/settings.ts";
import { type Db, type Queryable, sql } from "../platform/db/db.ts";
import { scrub } from "../platform/log.ts";

/** `ok` is in order, `warn` will do harm, `fail` does harm already, and `info` asks for nothing. */
export type Status = "ok" | "warn" | "fail" | "info";
export type Result = { readonly status: Status; readonly finding: string; readonly remedy?: string };
export type NamedResult = Result & { readonly name: string };

/** What a check is about, for whoever shows many of them. */
export const GROUPS = ["machine", "network", "database", "work"] as const;
export type Group = (typeof GROUPS)[number];
export type Finding = NamedResult & { readonly group: Group };

export type Check<E> = { readonly name: string; readonly run: (env: E) => Promise<Result> };

export type Env = {
  readonly config: Config;
  readonly sources: LoadedConfig["sources"];
  readonly clock: Clock;
  readonly servesUnsubscribe: boolean;
};

export type DatabaseEnv = Env & {
  /** This folder holds the migrations that this program knows. */
  readonly migrations: string;
  /** `work` runs in a read-only transaction, so that a check can't change anything even by mistake. */
  readonly look: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;
};

const LIMIT_MS = 10_000;

export function readOnly(db: Db): DatabaseEnv["look"] {
  return (work) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set transaction read only`);
      return work(tx);
    });
}

export async function runCheck<E>(check: Check<E>, env: E, limitMs = LIMIT_MS): Promise<NamedResult> {
  const late = Promise.withResolvers<Result>();
  const timer = setTimeout(() => {
    late.resolve({ status: "fail", finding: `no answer within ${limitMs / 1_000} s` });
  }, limitMs);
  // The function is `async`, so that a check that throws before its first await is caught too.
  const run = async () => check.run(env);
  try {
    const { status, finding, remedy } = await Promise.race([run(), late.promise]);
    return { name: check.name, status, finding: tidy(finding), ...(remedy && { remedy: tidy(remedy) }) };
  } catch (error) {
    return { name: check.name, status: "fail", finding: `can't be looked at: ${tidy(messageOf(error))}` };
  } finally {
    clearTimeout(timer);
  }
}

const SEVERITY: readonly Status[] = ["ok", "info", "warn", "fail"];

/** Makes one result of several, with the worst status. Where something is wrong, findings that are `ok` are left out. */
export function worst(results: readonly [Result, ...Result[]]): Result {
  const status = SEVERITY.findLast((one) => results.some((result) => result.status === one)) ?? "ok";
  const isWrong = status === "warn" || status === "fail";
  const told = isWrong ? results.filter((result) => result.status !== "ok") : results;
  const remedy = told.flatMap((result) => result.remedy ?? []).join("; ");
  return { status, finding: told.map(({ finding }) => finding).join("; "), ...(remedy && { remedy }) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a remote server said is printed on a terminal, so control characters and secrets go, and it is cut short. */
function tidy(text: string): string {
  const oneLine = scrub(text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, " ")).trim();
  return oneLine.length > 600 ? `${oneLine.slice(0, 600)}…` : oneLine;
}
