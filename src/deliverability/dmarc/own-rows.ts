/** Which part of a report is about an account's domains, and for which day it counts. */
import type { DmarcReport, DmarcRow } from "../../mail/dmarc-reports/dmarc-reports.ts";

/** The ids of an account's domains by their names. */
export type OwnDomains = ReadonlyMap<string, string>;

type OwnRow = DmarcRow & { readonly domainId: string };

export type OwnReport = {
  readonly report: DmarcReport;
  readonly domainId: string;
  readonly day: string;
  readonly rows: readonly OwnRow[];
  readonly messages: number;
  readonly aligned: number;
  /** Records that can't be, and rows about others' domains. */
  readonly leftOut: number;
};

/**
 * Keeps the rows whose From is a domain of the account's, or below one: who has a subdomain learns nothing of the domain above it.
 * Returns undefined where the whole report is about others.
 */
export function ownPartOf(report: DmarcReport, domains: OwnDomains): OwnReport | undefined {
  const nearest = createNearest(domains);
  const rows: OwnRow[] = [];
  for (const row of report.rows) {
    const domainId = nearest(row.headerFrom);
    if (domainId !== undefined) rows.push({ ...row, domainId });
  }
  const domainId = nearest(report.policyDomain) ?? rows[0]?.domainId;
  if (domainId === undefined) return undefined;
  const sum = (some: readonly OwnRow[]) => some.reduce((total, { messages }) => total + messages, 0);
  return {
    report,
    domainId,
    day: dayOf(report),
    rows,
    messages: sum(rows),
    aligned: sum(rows.filter(({ isDkimAligned, isSpfAligned }) => isDkimAligned || isSpfAligned)),
    leftOut: report.recordsLeftOut + report.rows.length - rows.length,
  };
}

/** Finds the domain itself, else the nearest above it. */
function createNearest(domains: OwnDomains) {
  return (name: string): string | undefined => {
    for (let at = 0; at >= 0; at = name.indexOf(".", at) + 1 || -1) {
      const found = domains.get(name.slice(at));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Reporters begin their days at different hours; the middle lies in the day, by UTC, that most of the report is about. */
function dayOf({ begin, end }: Pick<DmarcReport, "begin" | "end">): string {
  return new Date((begin.getTime() + end.getTime()) / 2).toISOString().slice(0, 10);
}
