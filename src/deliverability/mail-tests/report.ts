/** Writes the report of a mail that arrived. It asks the DNS and the filters, and whatever these do, it ends with a report. */
import { domainToASCII } from "node:url";
import { readAddressList } from "../../mail/reading/address-list.ts";
import { findField, type ParsedField } from "../../mail/reading/headers.ts";
import { readMail } from "../../mail/reading/reading.ts";
import type { SessionFacts } from "../../mail/smtp-server/smtp-server.ts";
import {
  askRspamd,
  askSpamd,
  type SpamdPlace,
  type SpamQuestion,
} from "../../mail/spam-filters/spam-filters.ts";
import type { Dns } from "../../platform/dns.ts";
import { examineAuthentication } from "./examining/authentication.ts";
import { examineConnection, readOrigin } from "./examining/connection.ts";
import { examineSize } from "./examining/content.ts";
import { type ListAnswer, NO_FILTER, shapeLists, shapeVerdict } from "./examining/filters.ts";
import type { Origin } from "./examining/item.ts";
import { verifySignatures } from "./examining/signatures.ts";
import { examineUnsubscribing } from "./examining/unsubscribing.ts";
import type { GroupKey, MailTestReport, ReportItem } from "./schema.ts";
import { scoreItems } from "./score.ts";

export type ReportTools = {
  readonly dns: Dns;
  readonly inboundDomain: string;
  /** Whether this instance offers STARTTLS to those who bring mail. */
  readonly offersTls: boolean;
  readonly spamd: SpamdPlace | undefined;
  readonly rspamdUrl: string | undefined;
  /** Asks the blocklists about an address; returns null where none is asked. */
  readonly lookUpBlocklists: (ip: string) => Promise<readonly ListAnswer[] | null>;
};

export type ArrivedMail = {
  readonly raw: Buffer;
  readonly bytes: number;
  readonly session: SessionFacts | null;
  readonly envelopeFrom: string;
  readonly to: string;
  readonly checks: readonly ReportItem[];
};

const FILTER_TIMEOUT = { timeoutMs: 30_000 };
const NO_SESSION: SessionFacts = { ip: "", helo: "", tls: null };

export async function writeReport(
  tools: ReportTools,
  mail: ArrivedMail,
  now: Date,
): Promise<{ readonly report: MailTestReport; readonly origin: Origin }> {
  const { dns } = tools;
  const { fields } = readMail(mail.raw);
  const origin = await readOrigin(dns, mail.session ?? NO_SESSION, tools.inboundDomain);
  const signatures = await verifySignatures(dns, mail.raw, fields, now);
  const claims = { author: authorOf(fields), envelopeFrom: mail.envelopeFrom, origin, signatures };
  const [connection, authentication, filters, lists] = await Promise.all([
    examineConnection(dns, origin, tools.offersTls),
    examineAuthentication(dns, claims),
    askFilters(tools, { ...mail, mail: mail.raw, ip: origin.ip, helo: origin.helo, from: mail.envelopeFrom }),
    origin.hiddenBy === null ? tools.lookUpBlocklists(origin.ip) : null,
  ]);
  const groups: { key: GroupKey; items: ReportItem[] }[] = [
    { key: "connection", items: [...connection] },
    { key: "authentication", items: [...authentication] },
    { key: "unsubscribe", items: [...examineUnsubscribing(fields, signatures)] },
    { key: "content", items: [...mail.checks, examineSize(mail.bytes)] },
    { key: "spam_filter", items: [...filters] },
    { key: "blocklists", items: [shapeLists(origin, lists)] },
  ];
  const report: MailTestReport = {
    ...scoreItems(groups.flatMap(({ items }) => items)),
    ip: mail.session?.ip ?? null,
    helo: mail.session?.helo ?? null,
    tls: mail.session?.tls ?? null,
    bytes: mail.bytes,
    is_egress_known: false,
    groups,
  };
  return { report, origin };
}

async function askFilters(
  { spamd, rspamdUrl }: ReportTools,
  question: SpamQuestion,
): Promise<readonly ReportItem[]> {
  const asked = await Promise.all([
    spamd && askSpamd(spamd, question, FILTER_TIMEOUT).then((said) => shapeVerdict("spamassassin", said)),
    rspamdUrl && askRspamd(rspamdUrl, question, FILTER_TIMEOUT).then((said) => shapeVerdict("rspamd", said)),
  ]);
  const items = asked.flatMap((one) => one || []);
  return items.length > 0 ? items : [NO_FILTER];
}

/** DMARC wants one author: RFC 9989 §4.4 leaves mail with several to the receiver, and large ones refuse it. */
function authorOf(fields: readonly ParsedField[]): string | null {
  const from = fields.filter(({ name }) => name === "from");
  const [first, ...more] = from.length === 1 ? readAddressList(findField(fields, "from") ?? "") : [];
  if (!first || more.length > 0) return null;
  const domain = first.address.slice(first.address.lastIndexOf("@") + 1);
  return domainToASCII(domain).toLowerCase() || null;
}
