/** Reads DMARC aggregate reports that others collected, and files beside them that are none. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ReadDmarcReport, readDmarcReport } from "../../src/mail/dmarc-reports/dmarc-reports.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";

export const dmarcScorer: Scorer = {
  name: "dmarc",
  summary: "how DMARC aggregate reports are read, and what is told apart from them",
  needs: "reports",
  score: scoreReports,
};

/** Somebody looked at each file: this one has no report in it, on purpose. All others are reports. */
const NOT_A_REPORT = /malformed_report\.xml$/;

type Read = { readonly name: string; readonly bytes: Buffer; readonly found: ReadDmarcReport | Error };

async function scoreReports(folder: string): Promise<Score> {
  const reports = await readFolder(join(folder, "dmarc"));
  const others = [...(await readFolder(join(folder, "tls"))), ...(await readFolder(join(folder, "ruf")))];
  const valid = reports.filter(({ name }) => !NOT_A_REPORT.test(name));
  const rest = [...reports.filter(({ name }) => NOT_A_REPORT.test(name)), ...others];
  const isWrong = (one: Read) => (valid.includes(one) ? !isRead(one) : !isRefused(one));
  return {
    figures: [
      percentFigure("dmarc.valid_reports", valid.filter(isRead).length, valid.length, 100),
      percentFigure("dmarc.others_refused", rest.filter(isRefused).length, rest.length, 100),
    ],
    details: [
      `${valid.length} reports, ${rest.length} others`,
      ...[...valid, ...rest].filter(isWrong).map((one) => `${one.name}: ${describe(one)}`),
    ],
  };
}

async function readFolder(folder: string): Promise<Read[]> {
  const read: Read[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const bytes = readFileSync(join(folder, name));
    const found = await readDmarcReport(bytes, { now: new Date() }).catch((error: Error) => error);
    read.push({ name, bytes, found });
  }
  return read;
}

/** Where the file is plain XML, the messages are also counted in another way. */
function isRead({ bytes, found }: Read): boolean {
  if (found instanceof Error || !found.ok) return false;
  const messages = found.reports.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.messages, 0);
  const counts = [...bytes.toString("latin1").matchAll(/<count>\s*(\d+)\s*<\/count>/g)];
  const isPlain = bytes.includes("<feedback") && counts.length > 0;
  return messages > 0 && (!isPlain || messages === counts.reduce((sum, [, count]) => sum + Number(count), 0));
}

function isRefused({ found }: Read): boolean {
  return !(found instanceof Error) && !found.ok;
}

function describe({ found }: Read): string {
  if (found instanceof Error) return `it threw ${found.message}`;
  return found.ok ? "it was read otherwise" : found.detail;
}
