/** `postrider reports import` reads DMARC reports from files, as `POST /v1/deliverability/reports` does. */
import { readFile, stat } from "node:fs/promises";
import { recordAct } from "../audit/audit.ts";
import { type Kept, keepReports } from "../deliverability/deliverability.ts";
import { readDmarcReport } from "../mail/dmarc-reports/dmarc-reports.ts";
import { type Ctx, systemCtx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";

const MOST_BYTES = 10 * 1_048_576;

/** Prints a line for each file, and returns whether all of them could be read and are the account's. */
export async function importReports(
  ctx: Ctx<Db>,
  files: readonly string[],
  print: (line: string) => void,
): Promise<boolean> {
  let isAllKept = true;
  for (const file of files) {
    const { isKept, words } = await importFile(ctx, file);
    print(`${file}: ${words}\n`);
    isAllKept &&= isKept;
  }
  return isAllKept;
}

type Imported = { readonly isKept: boolean; readonly words: string };

async function importFile(ctx: Ctx<Db>, file: string): Promise<Imported> {
  const { size } = await stat(file).catch(() => ({ size: undefined }));
  if (size === undefined) return { isKept: false, words: "there is no such file" };
  if (size > MOST_BYTES) return { isKept: false, words: "it is larger than 10 MB" };
  const read = await readDmarcReport(await readFile(file), { now: ctx.clock.now() });
  if (!read.ok) return { isKept: false, words: read.detail };
  const made = await ctx.sql.transaction((tx) => {
    const own = systemCtx(ctx, tx, ctx.accountId);
    recordAct(own, "operator", "dmarc_report.uploaded");
    return keepReports(own, read.reports, { channel: "command", senderDomain: null });
  });
  return {
    isKept: made.every(({ kind }) => kind === "kept" || kind === "duplicate"),
    words: made.map(describe).join("; "),
  };
}

function describe(made: Kept): string {
  switch (made.kind) {
    case "kept":
      return `${made.row.messages} messages from ${made.row.policy_domain}, told by ${made.row.reporter}`;
    case "duplicate":
      return `the report ${made.row.report_id} of ${made.row.reporter} was there already`;
    case "foreign_domain":
      return `${made.domain} is no domain of this account's`;
    case "too_old":
      return `it is about more than 13 months ago`;
  }
}
