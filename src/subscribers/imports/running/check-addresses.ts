/**
 * Says of the rows of a batch whether mail would reach their addresses. Only the database is asked: before the first row is written, the
 * file's domains of which nothing is known are written down for the jobs that look them up, and waited for a little.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AddressReason,
  checkAt,
  checkDomain,
  type DomainCheck,
  domainToLookUp,
} from "../../../mail/address-checks/address-checks.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Db } from "../../../platform/db/db.ts";
import { countUnasked, findStates, wantDomains } from "../../../recipient-domains/recipient-domains.ts";
import type { AddressChecking, CheckCounts, CheckedRow } from "../import-store.ts";
import { type Column, type Format, type RowFault, readCell } from "../reading/reading.ts";
import type { Collected } from "./collect.ts";
import type { RowKind } from "./row-kind.ts";

export const NOTHING_CHECKED: CheckCounts = { ok: 0, risky: 0, bad: 0, unknown: 0, reasons: {} };

export function addCounts(before: CheckCounts, more: CheckCounts): CheckCounts {
  const reasons = { ...before.reasons };
  for (const [reason, count] of Object.entries(more.reasons) as [AddressReason, number][])
    reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    ok: before.ok + more.ok,
    risky: before.risky + more.risky,
    bad: before.bad + more.bad,
    unknown: before.unknown + more.unknown,
    reasons,
  };
}

const REFUSALS: Readonly<Partial<Record<AddressReason, string>>> = {
  no_such_domain: "there is no such domain",
  null_mx: "the domain says that it takes no mail",
  no_mail_server: "the domain has no server that takes mail",
  internal_mail_server: "the domain's mail servers are inside somebody's network",
  reserved_domain: "nobody can have a mailbox at this domain",
};

const MOST_REMEMBERED = 50_000;

export type AddressChecker<R> = (batch: Collected<R>) => Promise<Collected<R>>;

/** With `skip_bad`, rows that can't be reached become faults; otherwise they stay, and are listed. */
export function createAddressChecker<R>(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { addresses }: Pick<RowKind<R>, "addresses">,
  checks: AddressChecking,
): AddressChecker<R> {
  if (checks === "off" || !addresses) return async (batch) => batch;
  const remembered = new Map<string, DomainCheck>();

  /** What isn't known is asked for again by the next batch: jobs may have looked it up by then. */
  async function readDomains(names: ReadonlySet<string>): Promise<(domain: string) => DomainCheck> {
    const unread = [...names].filter((name) => !remembered.has(name));
    const states = unread.length > 0 ? await findStates(db, unread, clock.now()) : new Map();
    const found = new Map(unread.map((name) => [name, checkDomain(name, states.get(name))]));
    for (const [name, check] of found)
      if (states.has(name) && remembered.size < MOST_REMEMBERED) remembered.set(name, check);
    return (name) => remembered.get(name) ?? found.get(name) ?? checkDomain(name, undefined);
  }

  return async (batch) => {
    const asked = batch.rows.map((row) => ({ row, address: splitAddress(addresses.of(row)) }));
    const ofDomain = await readDomains(new Set(asked.flatMap(({ address }) => address?.domain ?? [])));
    const rows: R[] = [];
    const faults: RowFault[] = [];
    const listed: CheckedRow[] = [];
    const counts = { ok: 0, risky: 0, bad: 0, unknown: 0 };
    const reasonCounts: Partial<Record<AddressReason, number>> = {};
    for (const { row, address } of asked) {
      if (!address) {
        rows.push(row);
        continue;
      }
      const { verdict, reasons, suggestion } = checkAt(address.local, ofDomain(address.domain));
      counts[verdict]++;
      for (const reason of reasons) reasonCounts[reason] = (reasonCounts[reason] ?? 0) + 1;
      const worst = reasons[0];
      if (verdict === "bad" && checks === "skip_bad" && worst) {
        const meant = suggestion ? `; was ${suggestion} meant?` : "";
        faults.push(addresses.faultOf(row, worst, `${REFUSALS[worst] ?? "it can't be reached"}${meant}`));
        continue;
      }
      rows.push(row);
      if (worst && (verdict === "bad" || verdict === "risky"))
        listed.push({ ...addresses.faultOf(row, worst, ""), result: verdict, reasons, suggestion });
    }
    const checked = { counts: { ...counts, reasons: reasonCounts }, listed };
    return { ...batch, rows, faults: [...batch.faults, ...faults], checked };
  };
}

function splitAddress(address: string | null): { local: string; domain: string } | undefined {
  const at = address?.lastIndexOf("@") ?? -1;
  return address && at > 0 ? { local: address.slice(0, at), domain: address.slice(at + 1) } : undefined;
}

/** A file has many addresses and few domains; whatever is beyond these is looked up when somebody writes to it. */
const MOST_DOMAINS = 10_000;
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

export type DomainCollector = {
  add(cells: readonly string[]): void;
  /** Writes down what nobody knows, and waits until all of it was asked about once, or for half a minute. */
  lookUp(isStopping: () => boolean): Promise<void>;
};

export function createDomainCollector(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  columns: readonly Column[],
  format: Format,
): DomainCollector {
  const emailAt = columns.findIndex(({ target }) => target === "email");
  const met = new Set<string>();
  return {
    add(cells) {
      const cell = cells[emailAt] ?? "";
      if (met.size < MOST_DOMAINS) met.add(cell.slice(cell.lastIndexOf("@") + 1));
    },
    async lookUp(isStopping) {
      const domains = new Set<string>();
      for (const bytes of met) {
        const domain = domainToLookUp(`someone@${readCell(bytes, format) ?? ""}`);
        if (domain) domains.add(domain);
      }
      const known = await findStates(db, [...domains], clock.now(), "fresh");
      const unknown = [...domains].filter((name) => !known.has(name));
      await wantDomains(db, unknown, clock.now());
      const startedMs = clock.monotonicMs();
      while (!isStopping() && clock.monotonicMs() - startedMs < WAIT_MS) {
        if (unknown.length === 0 || (await countUnasked(db, unknown)) === 0) return;
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}
