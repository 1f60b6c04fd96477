/** Matches reports with rows of the ledger of one account, all of them by a few statements. */
import { findLedgerMails, type LedgerMail, readRecipientDomains } from "../../delivery/delivery.ts";
import { parseAddress } from "../../mail/addresses.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { type HashAddress, readAddressHashes } from "../../subscribers/subscribers.ts";
import type { InboundItem, NamedMessage, Provider, Report } from "../types.ts";
import { type Candidate, findCandidates, type MatchedBy, providerIdsOf } from "./candidates.ts";

export type MatchTools = {
  readonly hashAddress: HashAddress;
  /** Returns the message that a return path of ours names, if its MAC is of this account. */
  readonly verifyToken: (token: string, accountId: string) => NamedMessage | null;
  /** Finds the mails that a provider took under these ids. */
  readonly findByProviderId: (
    db: Queryable,
    accountId: string,
    provider: Provider | null,
    ids: readonly string[],
  ) => Promise<readonly (NamedMessage & { readonly providerId: string })[]>;
};

export type Told = { readonly item: InboundItem; readonly report: Report };
/** The domain is '' where nobody knows it any more. */
export type Matched = LedgerMail & {
  readonly by: MatchedBy;
  readonly domain: string;
  /** Whether the address that failed is plainly not this person's, so that the mail must have been passed on to it. */
  readonly isPassedOn: boolean;
};
export type Match =
  | { readonly mail: Matched; readonly why?: never }
  | { readonly mail: null; readonly why: string };

/** Returns what each report is about, in their order. */
export async function matchReports(
  { sql, accountId }: Pick<TxCtx, "sql" | "accountId">,
  tools: MatchTools,
  told: readonly Told[],
): Promise<readonly Match[]> {
  const byProviderId = await findAllByProviderId(sql, accountId, tools, told);
  const candidates = told.map(({ item, report }) =>
    findCandidates(item.channel, report.clues, {
      verifyToken: (token) => tools.verifyToken(token, accountId),
      findByProviderId: (id) => byProviderId.get(id) ?? [],
    }),
  );
  const wanted = candidates.flatMap(({ found }, nth) => found.map((candidate) => ({ ...candidate, nth })));
  const mails = wanted.length > 0 ? await findLedgerMails(sql, accountId, wanted) : [];
  const rowsOf = Map.groupBy(mails, ({ n }) => n);
  const hashes = await readAddressHashes(sql, accountId, [...new Set(mails.map(({ personId }) => personId))]);
  const placesOf = Map.groupBy([...wanted.keys()], (at) => wanted[at]?.nth);
  const chosen = told.map(({ report }, nth) => {
    const hash = hashOf(report, tools.hashAddress);
    const tried = (placesOf.get(nth) ?? []).map((at) =>
      choose(wanted[at] as Candidate, rowsOf.get(at) ?? [], hash, hashes),
    );
    const found = tried.find(({ mail }) => mail !== null);
    return found ?? tried[0] ?? { mail: null, why: candidates[nth]?.why ?? "" };
  });
  const matches = await withDomains(sql, accountId, chosen);
  return matches.map((match, nth) => {
    if (!match.mail) return match;
    const { report } = told[nth] as Told;
    const own = hashes.get(match.mail.personId);
    const named = hashOf(report, tools.hashAddress);
    const isAnother = own !== undefined && named !== null && !own.equals(named);
    const isPassedOn = isAnother && isOfAnotherDomain(report.recipient, match.mail.domain);
    return { mail: { ...match.mail, isPassedOn } };
  });
}

type Choice = { mail: LedgerMail & { by: MatchedBy } } | { mail: null; why: string };

/**
 * A MAC of ours names one row. Any other clue must fit the address that the report names, if it names one: who knows the id of
 * somebody's mail, but not whose it is, changes nothing.
 */
function choose(
  { by }: Candidate,
  rows: readonly LedgerMail[],
  told: Buffer | null,
  hashes: ReadonlyMap<string, Buffer>,
): Choice {
  if (rows.length === 0)
    return { mail: null, why: "the mail that it names is not in the ledger of this account" };
  const isSure = by === "return_path" || by === "token";
  const fitting =
    isSure || told === null ? rows : rows.filter(({ personId }) => hashes.get(personId)?.equals(told));
  const [mail, second] = fitting;
  if (!mail) return { mail: null, why: "it names an address that this mail did not go to" };
  if (second) return { mail: null, why: "the mail had several recipients, and it names none of them" };
  if (mail.attempt === 0) return { mail: null, why: "the mail that it names never left" };
  return { mail: { ...mail, by } };
}

/** A server may name a mailbox otherwise than the address was written, but under its own domain or one above or below it. */
function isOfAnotherDomain(recipient: string | null, domain: string): boolean {
  const parsed = parseAddress(recipient ?? "");
  if (!parsed.ok || domain === "") return false;
  const named = parsed.key.slice(parsed.key.lastIndexOf("@") + 1);
  return named !== domain && !named.endsWith(`.${domain}`) && !domain.endsWith(`.${named}`);
}

function hashOf({ recipient }: Report, hash: HashAddress): Buffer | null {
  const parsed = parseAddress(recipient ?? "");
  return parsed.ok ? hash(parsed.key) : null;
}

async function findAllByProviderId(
  db: Queryable,
  accountId: string,
  tools: MatchTools,
  told: readonly Told[],
): Promise<ReadonlyMap<string, readonly NamedMessage[]>> {
  const found = new Map<string, NamedMessage[]>();
  const trusted = told.filter(({ item, report }) => item.channel !== "smtp" && report.clues.named === null);
  for (const [provider, some] of Map.groupBy(trusted, ({ item }) => item.provider)) {
    const ids = [...new Set(some.flatMap(({ report }) => providerIdsOf(report.clues)))];
    if (ids.length === 0) continue;
    for (const { providerId, ...named } of await tools.findByProviderId(db, accountId, provider, ids))
      found.set(providerId, [...(found.get(providerId) ?? []), named]);
  }
  return found;
}

async function withDomains(db: Queryable, accountId: string, choices: readonly Choice[]): Promise<Match[]> {
  const mails = choices.flatMap(({ mail }) => mail ?? []);
  const domains =
    mails.length > 0
      ? await readRecipientDomains(
          db,
          mails.map((mail) => ({ ...mail, accountId })),
        )
      : [];
  const ofMail = new Map(mails.map((mail, at) => [mail, domains[at]?.domain ?? ""]));
  return choices.map((choice) =>
    choice.mail
      ? { mail: { ...choice.mail, domain: ofMail.get(choice.mail) ?? "", isPassedOn: false } }
      : choice,
  );
}
