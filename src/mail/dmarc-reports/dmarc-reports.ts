/**
 * DMARC aggregate reports (RFC 9990, and RFC 7489 before it) as they come: XML, packed by gzip, zlib or zip, or a mail that has
 * them attached. Anybody may write such a file, so reading it never throws, takes memory and time within the bounds of `report.ts`,
 * and lets other work of the process have its turn.
 */
import { findField } from "../reading/headers.ts";
import { readBytes, readMail } from "../reading/reading.ts";
import type { Findings } from "./document.ts";
import { type DmarcReport, LIMITS, type Refusal, refusals } from "./report.ts";
import { sniff } from "./sniff.ts";
import { readGzip, readPlain, readZip, readZlib } from "./unpack.ts";

export type { DmarcReport, DmarcRow, Refusal } from "./report.ts";

export type ReadDmarcReport =
  | { readonly ok: true; readonly reports: readonly DmarcReport[] }
  | ({ readonly ok: false } & Refusal);

/** `now` says which dates lie in the future. */
export async function readDmarcReport(bytes: Buffer, { now }: { now: Date }): Promise<ReadDmarcReport> {
  const findings: Findings = {
    now,
    reports: [],
    refusals: [],
    budget: { rows: LIMITS.rows, xmlBytes: LIMITS.xmlBytes },
  };
  await readAny(bytes, findings, 0);
  if (findings.reports.length > 0) return { ok: true, reports: findings.reports };
  return { ok: false, ...weightiest(findings.refusals) };
}

async function readAny(bytes: Buffer, findings: Findings, depth: number): Promise<void> {
  if (findings.budget.xmlBytes < 0) return;
  switch (sniff(bytes)) {
    case "empty":
      findings.refusals.push(refusals.empty);
      return;
    case "gzip":
      return readGzip(bytes, findings);
    case "zlib":
      return readZlib(bytes, findings);
    case "zip":
      return readZip(bytes, findings);
    case "xml":
    case "json":
      return readPlain(bytes, findings);
    case "mail":
      return readAttached(bytes, findings, depth);
    default:
      findings.refusals.push(refusals.notAReport);
  }
}

const MOST_MAIL_BYTES = 16 * 1_024 * 1_024;
const MAIL_LIMITS = { maxBytes: MOST_MAIL_BYTES, maxValueUnits: 8 * 1_024 };
/** A report may be forwarded as a mail inside a mail. */
const MOST_MAILS_DEEP = 3;

async function readAttached(raw: Buffer, findings: Findings, depth: number): Promise<void> {
  const { fields, parameters, parts } = readMail(raw, MAIL_LIMITS);
  // RFC 8460 §3 wants both marks, and reporters set one of them at least, whatever they call the attached file.
  const isAboutTls =
    parameters.get("report-type")?.toLowerCase() === "tlsrpt" ||
    findField(fields, "tls-report-domain") !== undefined;
  if (isAboutTls) findings.refusals.push(refusals.tlsReport);
  for (const part of parts) {
    if (part.type === "message/feedback-report") findings.refusals.push(refusals.failureReport);
    else if (part.type.startsWith("application/tlsrpt")) findings.refusals.push(refusals.tlsReport);
    else if (part.type === "message/rfc822") {
      if (depth + 1 < MOST_MAILS_DEEP) await readAny(readBytes(part), findings, depth + 1);
    } else {
      const content = readBytes(part);
      // The words around a report begin like a mail, or like nothing; only what looks like a report is one.
      const kind = sniff(content);
      const isHtml = part.type === "text/html";
      if (!isHtml && (kind === "gzip" || kind === "zip" || kind === "zlib" || kind === "xml"))
        await readAny(content, findings, depth + 1);
    }
  }
  if (findings.refusals.length === 0) findings.refusals.push(refusals.notAReport);
}

/** A mail has several parts, and what is wrong with the one that looks most like a report is told. */
const WEIGHTS: readonly Refusal["reason"][] = [
  "too_large",
  "too_deep",
  "nested_archive",
  "future_dates",
  "invalid_report",
  "broken_report",
  "broken_archive",
  "tls_report",
  "failure_report",
  "not_a_report",
  "empty",
];

function weightiest(found: readonly Refusal[]): Refusal {
  const [first] = [...found].sort(
    (one, other) => WEIGHTS.indexOf(one.reason) - WEIGHTS.indexOf(other.reason),
  );
  return first ?? refusals.notAReport;
}
