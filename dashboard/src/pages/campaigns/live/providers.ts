/** Domains of one mailbox provider go together, since it is the provider that slows mail down. */
import type { CampaignDomains, CampaignErrors } from "../../../api/openapi.ts";

type Domain = Omit<CampaignDomains["data"][number], "domain">;
type Counts = Pick<Domain, "recipients" | "queued" | "sent" | "deferred" | "failed" | "unknown" | "skipped">;

export type Provider = {
  readonly key: string;
  readonly domains: readonly string[];
  /** All that aren't shown by themselves. */
  readonly isRest: boolean;
  readonly numbers: Omit<Counts, "skipped"> & { readonly skipped: { readonly total: number } };
  /** What its server last said to those who wait. */
  readonly reply: string | undefined;
};

const FAMILIES: readonly (readonly string[])[] = [
  ["gmail.com", "googlemail.com"],
  ["outlook.com", "hotmail.com", "hotmail.co.uk", "live.com", "live.co.uk", "msn.com"],
  ["yahoo.com", "yahoo.co.uk", "aol.com", "ymail.com", "rocketmail.com"],
  ["icloud.com", "me.com", "mac.com"],
  ["gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de"],
];
const familyOf = new Map(FAMILIES.flatMap((family) => family.map((domain) => [domain, family[0] ?? domain])));

/** More would be a report and not a look. */
const SHOWN = 6;

export function providersOf(
  { data, other }: CampaignDomains,
  errors: CampaignErrors | undefined,
): readonly Provider[] {
  const families = [...Map.groupBy(data, ({ domain }) => familyOf.get(domain) ?? domain)];
  const sorted = families
    .map(([key, own]) => ({ key, own, recipients: own.reduce((sum, { recipients }) => sum + recipients, 0) }))
    .sort((one, another) => another.recipients - one.recipients);
  const shown = sorted.slice(0, SHOWN);
  const rest = [...sorted.slice(SHOWN).flatMap(({ own }) => own), ...(other.recipients > 0 ? [other] : [])];
  return [
    ...shown.map(({ key, own }) => provider(key, own, { domains: own.map(({ domain }) => domain), errors })),
    ...(rest.length > 0 ? [provider("", rest, { domains: [], errors: undefined })] : []),
  ];
}

function provider(
  key: string,
  own: readonly Counts[],
  { domains, errors }: { domains: readonly string[]; errors: CampaignErrors | undefined },
): Provider {
  const sum = (part: keyof Counts) => own.reduce((total, one) => total + one[part], 0);
  const [queued, deferred] = [sum("queued"), Math.min(sum("deferred"), sum("queued"))];
  const [sent, failed, unknown, skipped] = [sum("sent"), sum("failed"), sum("unknown"), sum("skipped")];
  const recipients = sum("recipients");
  return {
    key,
    domains,
    isRest: key === "",
    numbers: { recipients, queued, sent, deferred, failed, unknown, skipped: { total: skipped } },
    reply: deferred > 0 ? replyTo(domains, errors) : undefined,
  };
}

function replyTo(domains: readonly string[], errors: CampaignErrors | undefined): string | undefined {
  const waiting = errors?.data.filter(({ status }) => status === "deferred") ?? [];
  const found = waiting.flatMap((group) =>
    group.domains.filter(({ domain }) => domain && domains.includes(domain)),
  );
  return found[0]?.reply.text ?? undefined;
}

export type Flow = "done" | "slowed" | "flowing" | "waiting";

/** From this share of its mail on, a provider that asks to try later is slow; below it some mailboxes are. */
const SLOW_FROM = 0.05;

export function flowOf({ numbers }: Provider, isMoving: boolean): Flow {
  const { queued, sent, failed, unknown, deferred } = numbers;
  if (queued === 0) return "done";
  if (deferred > 0 && deferred >= SLOW_FROM * (sent + failed + unknown + deferred)) return "slowed";
  return isMoving ? "flowing" : "waiting";
}
