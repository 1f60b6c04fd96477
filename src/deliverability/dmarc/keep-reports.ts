/** Keeps reports of an account's domains, each once, whichever way they came by. */
import type { DmarcReport } from "../../mail/dmarc-reports/dmarc-reports.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { keyOfNaming, nameSourcesKind } from "./job-kinds.ts";
import { ownPartOf } from "./own-rows.ts";
import {
  addRows,
  type Channel,
  findSameReport,
  insertReport,
  type ReportRow,
  readDomainIds,
} from "./store.ts";

/** What was made of one report. */
export type Kept =
  | { readonly kind: "kept" | "duplicate"; readonly row: ReportRow }
  | { readonly kind: "foreign_domain"; readonly domain: string }
  | { readonly kind: "too_old"; readonly domain: string };

type Origin = { readonly channel: Channel; readonly senderDomain: string | null };

const MONTHS_KEPT = 13;

/** Returns the first day whose reports are kept. */
export function firstDayKept(now: Date): string {
  const day = new Date(now);
  day.setUTCDate(1);
  day.setUTCMonth(day.getUTCMonth() - MONTHS_KEPT);
  return day.toISOString().slice(0, 10);
}

/** Keeps each report that is the account's, in the order given. Who is behind its sources is found out by a job. */
export async function keepReports(
  ctx: TxCtx,
  reports: readonly DmarcReport[],
  origin: Origin,
): Promise<readonly Kept[]> {
  const { sql: tx, accountId, clock } = ctx;
  const domains = await readDomainIds(tx, accountId);
  const firstDay = firstDayKept(clock.now());
  const made: Kept[] = [];
  for (const report of reports) {
    const own = ownPartOf(report, domains);
    if (!own) made.push({ kind: "foreign_domain", domain: report.policyDomain });
    else if (own.day < firstDay) made.push({ kind: "too_old", domain: report.policyDomain });
    else {
      const at = clock.now();
      const row = await insertReport(tx, accountId, { ...own, ...origin, id: newId(clock), at });
      if (row && own.rows.length > 0) await addRows(tx, accountId, own, at);
      made.push(
        row ? { kind: "kept", row } : { kind: "duplicate", row: await findSameReport(tx, accountId, own) },
      );
    }
  }
  if (made.some(({ kind }) => kind === "kept")) {
    const payload = { account_id: accountId };
    await addJob(tx, nameSourcesKind, payload, { key: keyOfNaming(payload) });
  }
  return made;
}
