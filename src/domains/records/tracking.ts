/** The host below a domain that links in mail lead over: its DNS has to lead here, and it has to answer over https as we do. */
import type { Dns } from "../../platform/dns.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import { aliasChain, isProxied, proxiedHint } from "./aliases.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, targetHint, toRecord, valuesOf } from "./inspecting.ts";
import type { DomainRecord, FetchTracking, RecordDetails, TrackingFetch } from "./types.ts";
import { isTarget } from "./zone.ts";

type Judged = Pick<DomainRecord, "status" | "advice" | "found"> & {
  readonly hint?: string | undefined;
  readonly details?: RecordDetails;
};

const LIMITS_MS = { connect: 5_000, headers: 5_000, whole: 8_000 };
const MOST_BYTES = 4_096;

/** Asks for what every process of this service answers. The guard keeps it from whatever is inside our network. */
export function createFetchTracking(client: GuardedClient): FetchTracking {
  return async (host) => {
    const answer = await client.fetch(`https://${host}/healthz`, {
      limitsMs: LIMITS_MS,
      mostBytes: MOST_BYTES,
    });
    if (answer.kind === "refused") return { kind: "refused" };
    if (answer.kind === "answered") {
      const { status, certificateEndsAt } = answer;
      const isOurs = status === 200 && answer.body.toString("latin1").includes('"status":"alive"');
      return { kind: "answered", isOurs, status, certificateEndsAt };
    }
    if (answer.why === "untrusted") return { kind: "untrusted", detail: answer.code };
    const isUnresolved = /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/.test(answer.code);
    return { kind: isUnresolved ? "failed" : "unreachable", detail: answer.code };
  };
}

export async function inspectTracking(context: Inspecting, host: string): Promise<DomainRecord> {
  const { publicHost } = context.facts;
  const isName = isTarget(publicHost);
  const judged: Judged = isName
    ? await judgeHost(context, host, publicHost)
    : { status: "unknown", found: [], advice: NO_PUBLIC_NAME, details: { cname_ok: false } };
  return toRecord(context, {
    kind: "tracking",
    type: "CNAME",
    name: host,
    expected: isName ? publicHost : null,
    required: false,
    ...judged,
  });
}

export const NO_PUBLIC_NAME =
  "PUBLIC_URL of this installation has no name that a CNAME could lead to. Whoever runs it has to set one.";

async function judgeHost(context: Inspecting, host: string, publicHost: string): Promise<Judged> {
  const { dns } = context;
  const chain = await aliasChain(dns, host, publicHost);
  if (chain.kind === "failed") return { status: "unknown", found: chain.names, advice: NO_ANSWER };
  if (chain.names.includes(publicHost)) return judgeAnswer(context, host, chain.names.slice(0, 1));
  const own = await addressesOf(dns, host);
  const ours = await addressesOf(dns, publicHost);
  if (!own || !ours) return { status: "unknown", found: chain.names, advice: NO_ANSWER };
  const found = [...chain.names, ...own];
  // A name at the top of a zone can have no CNAME, and other DNS hosts write addresses in place of one.
  if (own.length > 0 && own.every((one) => ours.includes(one))) return judgeAnswer(context, host, found);
  if (found.length > 0)
    return {
      status: "wrong",
      found,
      advice: `The name leads elsewhere. Replace what is there by a CNAME to ${publicHost}.`,
      hint:
        targetHint(context, chain.names, publicHost) ??
        (chain.names.length === 0 && isProxied(context, own) ? proxiedHint : undefined),
      details: { cname_ok: false },
    };
  return {
    status: "missing",
    found,
    advice: `Publish a CNAME to ${publicHost}.`,
    hint: await findMisplaced(context, host, dns.cname, (value) => value === publicHost),
    details: { cname_ok: false },
  };
}

async function addressesOf(dns: Dns, host: string): Promise<string[] | undefined> {
  const [four, six] = await Promise.all([dns.a(host), dns.aaaa(host)]);
  if (four.kind === "failed" || six.kind === "failed") return undefined;
  return [...valuesOf(four), ...valuesOf(six)];
}

async function judgeAnswer(
  { fetchTracking }: Inspecting,
  host: string,
  found: readonly string[],
): Promise<Judged> {
  const answer = await fetchTracking(host);
  const details = { cname_ok: true, ...endOf(answer) };
  if (answer.kind === "answered" && answer.isOurs) return { status: "ok", found, advice: "", details };
  const status = answer.kind === "failed" ? "unknown" : "wrong";
  return { status, found, advice: `The DNS is right. ${reasonOf(answer)}`, details };
}

function endOf(answer: TrackingFetch): RecordDetails {
  if (answer.kind !== "answered" || answer.certificateEndsAt === null) return {};
  return { certificate_ends_at: answer.certificateEndsAt.toISOString() };
}

function reasonOf(answer: TrackingFetch): string {
  switch (answer.kind) {
    case "answered":
      return `But what answers over https (with status ${answer.status}) is another service. The web server in front of Postrider has to serve this host too.`;
    case "refused":
      return "But the host leads to an address inside a private network, which no recipient could reach.";
    case "untrusted":
      return `But its certificate is not valid for it (${answer.detail}). The web server in front of Postrider has to get one for this host.`;
    case "unreachable":
      return `But the host doesn't answer over https (${answer.detail}).`;
    case "failed":
      return `But the host couldn't be reached yet (${answer.detail}); it is tried again.`;
  }
}
