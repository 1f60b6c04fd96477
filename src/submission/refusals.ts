/** Turns refusals into SMTP replies with the same words: what waiting may mend is 4xx, and what it can't is 5xx. */
import { type Reply, reply } from "../mail/smtp-server/smtp-server.ts";
import { toAppError } from "../platform/http/problem-reply.ts";
import type { AppError } from "../platform/problems.ts";

/** These have codes of their own (RFC 3463, RFC 5248, RFC 4954 §6); others go by their HTTP status. */
const CODES: Readonly<Record<string, readonly [code: number, status: string]>> = {
  recipients_suppressed: [550, "5.7.1"],
  unverified_domain: [550, "5.7.1"],
  email_too_large: [552, "5.3.4"],
  unauthorized: [535, "5.7.8"],
  missing_scope: [535, "5.7.8"],
  feature_not_included: [535, "5.7.8"],
  account_suspended: [535, "5.7.8"],
  deletion_pending: [535, "5.7.8"],
  rate_limited: [450, "4.7.1"],
  // It passes by itself, and a program that keeps the mail until then loses nothing.
  quota_reached: [450, "4.7.1"],
  storage_full: [452, "4.3.1"],
};

export function refusalOf(error: unknown): Reply {
  const known = toAppError(error);
  const { code, status } = known.problem;
  const isPassing = status >= 500 || status === 429 || status === 409 || status === 408;
  const [smtpCode, enhanced] = CODES[code] ?? (isPassing ? [451, "4.3.0"] : [554, "5.6.0"]);
  return reply(smtpCode, enhanced, `${code}: ${known.message}`, ...faultLines(known));
}

function faultLines({ faults }: AppError): string[] {
  return faults.map(
    ({ pointer = "", code, detail }) => `${pointer === "" ? "" : `${pointer}: `}${code}: ${detail}`,
  );
}
