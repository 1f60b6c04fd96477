/** A report that is uploaded, read into memory and then for what it says. How many are read at once is bounded here. */
import { hash } from "node:crypto";
import { type DmarcReport, readDmarcReport } from "../../mail/dmarc-reports/dmarc-reports.ts";
import { createConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { UploadedFile } from "../../platform/http/route.ts";
import { invalidReportBecause, tooBusy } from "./problems.ts";

export const MOST_BYTES = 10 * 1_048_576;
/** The dearest file takes 64 MB while it is read, and 10 MB while it arrives. */
const READ_AT_ONCE = 2;
const MOST_ARRIVING = 16;

export type Received = { readonly reports: readonly DmarcReport[]; readonly sha256: string };

export function createReceive(): (file: UploadedFile, now: Date) => Promise<Received> {
  const inTurn = createConcurrencyLimit({
    atOnce: READ_AT_ONCE,
    mostWaiting: MOST_ARRIVING,
    refuse: tooBusy,
  });
  let arriving = 0;
  return async (file, now) => {
    if (arriving >= MOST_ARRIVING) throw tooBusy();
    arriving++;
    try {
      const parts: Buffer[] = [];
      for await (const chunk of file.chunks) parts.push(chunk);
      const bytes = Buffer.concat(parts);
      const read = await inTurn(() => readDmarcReport(bytes, { now }));
      if (!read.ok) throw invalidReportBecause(read);
      return { reports: read.reports, sha256: hash("sha256", bytes) };
    } finally {
      arriving--;
    }
  };
}
