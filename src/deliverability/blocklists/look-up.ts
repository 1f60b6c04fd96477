/** Asks lists for addresses and domains, and for their own test entries. Nothing here knows the database. */
import type { Dns, DnsAnswer } from "../../platform/dns.ts";
import { isInternal } from "../../platform/net/internal.ts";
import type { Blocklist } from "./configured-lists.ts";
import {
  isAskedFor,
  judgeProof,
  type Listing,
  nameToAsk,
  type Proof,
  type ProofKind,
  plainAddress,
  proofKindOf,
  readListing,
  testPoints,
} from "./listing-rules.ts";

/** A list, and the kinds of question for which it is proved, or for which its test entries were answered wrongly. */
export type ProvedList = {
  readonly list: Blocklist;
  readonly proved: ReadonlySet<ProofKind>;
  readonly disproved: ReadonlySet<ProofKind>;
};

type Asked = Pick<Dns, "a">;

export type LookedUp = Listing & {
  readonly subject: string;
  readonly zone: string;
  /** Nobody answered: what was known before stays. */
  readonly isFailed: boolean;
};

/** A list that didn't answer so often in a row isn't asked for the rest, so that silence costs seconds and not minutes. */
const MOST_FAILURES = 3;

/** Asks each list for all subjects that it may know. The lists are asked at the same time, each one question after the other. */
export async function lookUpAll(
  dns: Asked,
  lists: readonly ProvedList[],
  subjects: readonly string[],
): Promise<LookedUp[]> {
  const found = await Promise.all(lists.map((list) => askOne(dns, list, subjects)));
  return found.flat();
}

async function askOne(dns: Asked, provedList: ProvedList, subjects: readonly string[]): Promise<LookedUp[]> {
  const { list } = provedList;
  const found: LookedUp[] = [];
  let failures = 0;
  for (const subject of subjects.filter((one) => isAskedFor(one, list))) {
    const about = { subject, zone: list.zone };
    const unasked = whyUnasked(subject, provedList);
    if (unasked) {
      found.push({ ...about, status: "unknown", ...unasked });
      continue;
    }
    const answer = failures < MOST_FAILURES ? await askFor(dns, subject, list) : GIVEN_UP;
    failures = answer.kind === "failed" ? failures + 1 : 0;
    found.push(
      answer.kind === "failed"
        ? { ...about, status: "unknown", detail: `There was no answer: ${answer.detail}.`, isFailed: true }
        : { ...about, ...readListing(answer, list), isFailed: false },
    );
  }
  return found;
}

const GIVEN_UP = { kind: "failed", detail: "the list did not answer before" } as const;

function whyUnasked(
  subject: string,
  { list, proved, disproved }: ProvedList,
): Pick<LookedUp, "detail" | "isFailed"> | undefined {
  const because = (detail: string, isFailed = false) => ({ detail, isFailed });
  if (list.kind === "address" && isInternal(subject))
    return because("No list knows it: it is no public address.");
  const kind = proofKindOf(subject, list);
  if (disproved.has(kind)) return because("The list isn't proved, so its answers say nothing.");
  if (!proved.has(kind)) return because("The list isn't proved yet.", true);
  if (nameToAsk(subject, list) === undefined) return because("Its name is too long to be asked for.");
  return undefined;
}

async function askFor(dns: Asked, subject: string, list: Blocklist): Promise<DnsAnswer<string>> {
  const name = nameToAsk(subject, list);
  return name === undefined ? { kind: "failed", detail: "its name is too long" } : dns.a(name);
}

export type AddressOnList = Listing & {
  readonly zone: string;
  readonly name: string;
  readonly url: string | null;
};

/** Asks all lists for one address. */
export async function lookUpAddress(
  dns: Asked,
  lists: readonly ProvedList[],
  address: string,
): Promise<AddressOnList[]> {
  const subject = plainAddress(address);
  const byZone = new Map(lists.map(({ list }) => [list.zone, list]));
  return (await lookUpAll(dns, lists, [subject])).map(({ zone, status, detail }) => {
    const list = byZone.get(zone);
    return { zone, name: list?.name ?? zone, status, detail, url: urlFor(list, subject) };
  });
}

export function urlFor(list: Pick<Blocklist, "url"> | undefined, subject: string): string | null {
  return list?.url?.replace("{subject}", encodeURIComponent(subject)) ?? null;
}

export type KindProof = { readonly zone: string; readonly kind: ProofKind; readonly proof: Proof };

/** Asks for the test entries of a list, of each kind apart. */
export function proveList(dns: Asked, list: Blocklist): Promise<KindProof[]> {
  return Promise.all(
    testPoints(list).map(async ({ kind, listed, clear }) => {
      const [one, other] = await Promise.all([askFor(dns, listed, list), askFor(dns, clear, list)]);
      return { zone: list.zone, kind, proof: judgeProof(list, one, other) };
    }),
  );
}
