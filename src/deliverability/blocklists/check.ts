/** Looks up an account's addresses and domains, keeps what was found, and tells the account what changed. */
import { closeAlert, listSubjects, openAlert } from "../../alerts/alerts.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import type { Dns } from "../../platform/dns.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import type { Blocklist, Blocklists } from "./configured-lists.ts";
import { plainAddress } from "./listing-rules.ts";
import { type LookedUp, lookUpAll, urlFor } from "./look-up.ts";
import { readProvedLists, refreshProofs } from "./proofs.ts";
import { noteChecked, type ResultRow, readResults, removeOtherResults, writeResults } from "./store.ts";

export const DAY_MS = 24 * 3_600_000;
/** So many addresses and so many domains of an account are looked up. */
const MOST_SUBJECTS = 100;

export type SenderAddress = { readonly address: string; readonly transportId: string | null };

/** What mail of an account leaves by: floors beside this one know it. */
export type Subjects = {
  readonly listAddresses: (db: Queryable, accountId: string) => Promise<readonly SenderAddress[]>;
  readonly listDomains: (db: Queryable, accountId: string) => Promise<readonly string[]>;
};

export type BlocklistTools = Subjects & {
  readonly dns: Pick<Dns, "a">;
  readonly blocklists: Blocklists;
};

export async function readSubjects(
  db: Queryable,
  accountId: string,
  { listAddresses, listDomains }: Subjects,
): Promise<{ readonly addresses: readonly SenderAddress[]; readonly domains: readonly string[] }> {
  const [addresses, domains] = await Promise.all([listAddresses(db, accountId), listDomains(db, accountId)]);
  const plain = addresses.map((one) => ({ ...one, address: plainAddress(one.address) }));
  return { addresses: plain.slice(0, MOST_SUBJECTS), domains: domains.slice(0, MOST_SUBJECTS) };
}

/** The DNS is asked before the transaction that writes, so that no lock waits for it. */
export async function checkAccount(job: JobCtx, tools: BlocklistTools, accountId: string): Promise<void> {
  const { lists, whyOff } = tools.blocklists;
  if (whyOff !== null) return job.db.transaction((tx) => forgetListings(systemCtx(job, tx, accountId)));
  const { addresses, domains } = await readSubjects(job.db, accountId, tools);
  const subjects = [...new Set([...addresses.map(({ address }) => address), ...domains])];
  const found = subjects.length === 0 ? [] : await ask(job, tools, subjects);
  const zones = lists.map(({ zone }) => zone);
  await job.db.transaction(async (tx) => {
    const ctx = systemCtx(job, tx, accountId);
    const now = job.clock.now();
    await writeResults(tx, accountId, found, now);
    await removeOtherResults(tx, accountId, { subjects, zones });
    await noteChecked(tx, accountId, now, new Date(now.getTime() + DAY_MS));
    await tell(ctx, lists, await readResults(tx, accountId));
  });
}

async function ask(
  job: JobCtx,
  { dns, blocklists }: BlocklistTools,
  subjects: readonly string[],
): Promise<LookedUp[]> {
  await refreshProofs({ db: job.db, clock: job.clock, dns }, blocklists.lists);
  const proved = await readProvedLists(job.db, blocklists.lists, job.clock.now());
  return lookUpAll(dns, proved, subjects);
}

/** What lists said that nobody asks any more isn't known to be so, and nothing would ever say that it is over. */
async function forgetListings(ctx: TxCtx): Promise<void> {
  await removeOtherResults(ctx.sql, ctx.accountId, { subjects: [], zones: [] });
  await tell(ctx, [], []);
}

/** Opens an alert for each subject that is listed, and closes those of subjects that no longer are. */
async function tell(ctx: TxCtx, lists: readonly Blocklist[], results: readonly ResultRow[]): Promise<void> {
  const listed = Map.groupBy(
    results.filter(({ listed_since }) => listed_since !== null),
    ({ subject }) => subject,
  );
  for (const [subject, rows] of listed) await openAlert(ctx, alertOf(subject, rows, lists));
  const over = (await listSubjects(ctx.sql, ctx.accountId, "blocklisted")).filter((one) => !listed.has(one));
  for (const subject of over) await closeAlert(ctx, "blocklisted", subject);
}

function alertOf(subject: string, rows: readonly ResultRow[], lists: readonly Blocklist[]) {
  const zones = rows.map(({ zone }) => zone).sort();
  const on = lists.filter(({ zone }) => zones.includes(zone));
  const names = on.map(({ name }) => name).join(", ");
  const urls = on.map((list) => urlFor(list, subject)).filter((url) => url !== null);
  return {
    kind: "blocklisted",
    subject,
    severity: on.some(({ severity }) => severity === "critical") ? "critical" : "warning",
    stateKey: zones.join(" "),
    title: `${subject} is on ${zones.length === 1 ? "a blocklist" : `${zones.length} blocklists`}`,
    detail: `It is listed by ${names}. Servers that ask ${zones.length === 1 ? "this list" : "these lists"} may refuse your mail.`,
    remedy: `Find out which mail brought it there and stop that first, then ask for its removal${urls.length > 0 ? `: ${urls.join(" ")}` : ""}`,
    data: { zones, urls },
  } as const;
}
