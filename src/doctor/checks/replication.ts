/** This check says whether a failover would keep what was committed. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

export type Replication = {
  readonly isEmbedded: boolean;
  /** It is true where this server is itself a standby. */
  readonly isStandby: boolean;
  readonly synchronousNames: string;
  readonly synchronousCommit: string;
  /** `sync` is null where our role may not see it. */
  readonly standbys: readonly { readonly name: string; readonly sync: string | null }[];
};

export const replicationCheck: Check<DatabaseEnv> = {
  name: "replication",
  run: ({ config, look }) =>
    look(async (tx) => judgeReplication(await readReplication(tx, config.databaseUrl === undefined))),
};

export function judgeReplication(facts: Replication): Result {
  const { isEmbedded, isStandby, standbys, synchronousNames, synchronousCommit } = facts;
  if (isStandby) {
    return {
      status: "fail",
      finding: "DATABASE_URL leads to a standby, which takes no writes",
      remedy: "let it lead to the primary, for instance through the proxy that follows a failover",
    };
  }
  const waits = synchronousCommit !== "off" && synchronousCommit !== "local";
  if (standbys.length === 0 && synchronousNames !== "" && waits) {
    return {
      status: "fail",
      finding: `every commit waits for a standby (synchronous_standby_names = '${synchronousNames}'), and none is connected`,
      remedy:
        "bring the standby back; or empty synchronous_standby_names and reload, and live without one meanwhile",
    };
  }
  if (standbys.length === 0) return withoutStandby(isEmbedded);
  const names = standbys.map(({ name }) => name).join(", ");
  const synchronous = standbys.filter(({ sync }) => sync === "sync" || sync === "quorum");
  if (synchronous.length > 0 && waits) {
    const told = synchronous.map(({ name }) => name).join(", ");
    return { status: "ok", finding: `a commit waits for a synchronous standby (${told})` };
  }
  if (standbys.every(({ sync }) => sync === null)) {
    return {
      status: "info",
      finding: `there are standbys (${names}), but this role may not see whether one is synchronous`,
      remedy: "as a superuser: grant pg_monitor to the role of DATABASE_URL, then ask again",
    };
  }
  return {
    status: "warn",
    finding:
      synchronous.length > 0
        ? `synchronous_commit is ${synchronousCommit}, so no commit waits for the standby: a failover may lose records of mail that has left`
        : `no standby is synchronous (${names}): a failover may lose records of mail that has left, and send it again`,
    remedy:
      "set synchronous_standby_names to 'ANY 1 (…)' with their names, and leave synchronous_commit on (with Patroni: synchronous_mode: true)",
  };
}

function withoutStandby(isEmbedded: boolean): Result {
  const finding = isEmbedded
    ? "the embedded database has no standby: what the disk loses, only a backup brings back"
    : "no standby is connected (some managed services keep theirs out of sight): what the disk loses, only a backup brings back";
  return { status: "info", finding };
}

export async function readReplication(tx: Queryable, isEmbedded: boolean): Promise<Replication> {
  const facts = await tx.one<Omit<Replication, "isEmbedded" | "standbys">>(sql`
    select pg_is_in_recovery() as "isStandby",
           current_setting('synchronous_standby_names') as "synchronousNames",
           current_setting('synchronous_commit') as "synchronousCommit"`);
  // A running pg_basebackup is in the view too, and never becomes a standby.
  const standbys = await tx.many<Replication["standbys"][number]>(sql`
    select coalesce(application_name, '') as name, sync_state as sync from pg_stat_replication
    where state is distinct from 'backup' order by 1`);
  return { ...facts, isEmbedded, standbys };
}
