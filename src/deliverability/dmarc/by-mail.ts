/**
 * Reports that come by mail to an account's own address. The address stands in the DNS for everybody to see, so anybody may send
 * there: what isn't a report of the account's domains is ignored, and it is said why. Reports about TLS (RFC 8460) come to the same address
 * where a domain's record asks for them there; they are put aside under a kind of their own.
 */
import type { InboundItem, OtherHandler, OtherOutcome } from "../../inbound/inbound.ts";
import { readDmarcReport } from "../../mail/dmarc-reports/dmarc-reports.ts";
import { readDomain } from "../../mail/dmarc-reports/fields.ts";
import { readAddressList } from "../../mail/reading/address-list.ts";
import { findField } from "../../mail/reading/headers.ts";
import { readMail } from "../../mail/reading/reading.ts";
import { type Kept, keepReports } from "./keep-reports.ts";
import { countMailed } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
/** Reporters send one a day for each domain; a few thousand of them know an account's domains. */
const MOST_A_DAY = 5_000;
/** Each record may become a row, and a stranger may write any number: this many are more than all reporters tell of a large sender. */
const MOST_RECORDS_A_DAY = 200_000;

/** A report may take a second to be unpacked and read, so this is done before the transaction that keeps it. */
export const takeReportMail: OtherHandler = async (db, item, now) => {
  const { reports, records } = await countMailed(db, item.accountId, new Date(now.getTime() - DAY_MS));
  if (reports >= MOST_A_DAY || records >= MOST_RECORDS_A_DAY)
    return async () =>
      ignored(
        `more than ${MOST_A_DAY.toLocaleString("en-GB")} reports, or too many records, came within a day`,
      );
  const read = await readDmarcReport(item.raw, { now });
  if (!read.ok && read.reason === "tls_report")
    return async () => ({ ...ignored(read.detail), kind: "tls_report" });
  if (!read.ok) return async () => ignored(read.detail);
  const origin = { channel: "mail", senderDomain: senderDomainOf(item) } as const;
  return async (ctx) => outcomeOf(await keepReports(ctx, read.reports, origin));
};

/** The best that was made of any of them is the outcome of the mail. */
function outcomeOf(made: readonly Kept[]): OtherOutcome {
  const count = (kind: Kept["kind"]) => made.filter((one) => one.kind === kind).length;
  const kept = made.flatMap((one) => (one.kind === "kept" ? [one.row] : []));
  if (kept.length > 0) {
    const messages = kept.reduce((sum, row) => sum + row.messages, 0);
    const what = kept.length === 1 ? "a DMARC report" : `${kept.length} DMARC reports`;
    return { outcome: "counted", why: `it holds ${what} about ${messages} messages`, named: null };
  }
  if (count("duplicate") > 0)
    return { outcome: "duplicate", why: "the same report came before, and counts once", named: null };
  const foreign = made.find((one) => one.kind === "foreign_domain");
  return ignored(
    foreign
      ? `it is about ${foreign.domain}, which is no domain of this account's`
      : "it is about more than 13 months ago",
  );
}

function ignored(why: string): OtherOutcome {
  return { outcome: "ignored", why, named: null };
}

/** As the From says it. Nothing proves that the mail came from there. */
function senderDomainOf({ raw }: Pick<InboundItem, "raw">): string | null {
  const from = findField(readMail(raw).fields, "from") ?? "";
  const address = readAddressList(from)[0]?.address ?? "";
  return readDomain(address.slice(address.lastIndexOf("@") + 1)) ?? null;
}
