/** How far the mail of each mailbox provider is. */
import type { CampaignDomains, CampaignErrors } from "../../../api/openapi.ts";
import { type DomainNumbers, groupsOf } from "../provider-groups.ts";

type Counts = Pick<
  DomainNumbers,
  "recipients" | "queued" | "sent" | "deferred" | "failed" | "unknown" | "skipped"
>;

export type Provider = {
  readonly key: string;
  readonly name: string;
  /** Whether it is a provider that is known, and not a domain by itself. */
  readonly isProvider: boolean;
  readonly domains: readonly string[];
  /** All that aren't shown by themselves. */
  readonly isRest: boolean;
  readonly numbers: Omit<Counts, "skipped"> & { readonly skipped: { readonly total: number } };
  /** What its server last said to those who wait. */
  readonly reply: string | undefined;
};

/** More would be a report and not a look. */
const SHOWN = 6;

export function providersOf(
  { data, providers, other }: CampaignDomains,
  errors: CampaignErrors | undefined,
): readonly Provider[] {
  const groups = groupsOf({ data, providers });
  const rest = [
    ...groups.slice(SHOWN).map(({ numbers }) => numbers),
    ...(other.recipients > 0 ? [other] : []),
  ];
  return [
    ...groups.slice(0, SHOWN).map(({ key, name, isProvider, numbers, domains }) => {
      const names = domains.map(({ domain }) => domain);
      return { ...provider(key, [numbers], { domains: names, errors }), name, isProvider };
    }),
    ...(rest.length > 0
      ? [{ ...provider("", rest, { domains: [], errors: undefined }), name: "", isProvider: false }]
      : []),
  ];
}

function provider(
  key: string,
  own: readonly Counts[],
  { domains, errors }: { domains: readonly string[]; errors: CampaignErrors | undefined },
): Omit<Provider, "name" | "isProvider"> {
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
