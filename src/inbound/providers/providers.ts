/**
 * Providers that send our mail tell by webhooks what became of it. This folder has the addresses that they post to, checks
 * that it is they who post, and reads what they say.
 */
import type { Provider, Report } from "../types.ts";
import { readBrevo } from "./payloads/brevo.ts";
import { parseJson } from "./payloads/json.ts";
import { readMailgun } from "./payloads/mailgun.ts";
import { readPostmark } from "./payloads/postmark.ts";
import { readSendgrid } from "./payloads/sendgrid.ts";
import { readSes } from "./payloads/ses.ts";
import { readSparkpost } from "./payloads/sparkpost.ts";

/** No more events of a request are read. SendGrid and SparkPost send hundreds at once. */
const MOST_REPORTS = 10_000;

const READERS: Readonly<Record<Provider, (body: unknown, most: number) => Report[]>> = {
  ses: readSes,
  postmark: readPostmark,
  mailgun: readMailgun,
  sendgrid: readSendgrid,
  brevo: readBrevo,
  sparkpost: readSparkpost,
};

/** Never throws, whatever the bytes are. What says nothing about the fate of a mail, such as an open, gives no report. */
export function readProviderBody(provider: Provider, raw: Buffer): Report[] {
  const body = parseJson(raw.toString("utf8"));
  return body === undefined ? [] : READERS[provider](body, MOST_REPORTS).slice(0, MOST_REPORTS);
}
