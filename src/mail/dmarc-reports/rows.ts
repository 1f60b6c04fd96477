/** Adds up records that are alike while they are read, so that memory grows with what differs and not with what is sent. */
import {
  copyOf,
  isOfSameOrganisation,
  readCount,
  readDisposition,
  readDomain,
  readIp,
  readSelector,
} from "./fields.ts";
import { type DmarcRow, LIMITS } from "./report.ts";

type Signature = { domain: string; selector: string };

/** A record as its elements say it, nothing of it checked. */
export type RawRecord = {
  sourceIp: string;
  count: string;
  disposition: string;
  dkim: string;
  spf: string;
  headerFrom: string;
  signatures: Signature[];
};

export function emptyRecord(): RawRecord {
  return { sourceIp: "", count: "", disposition: "", dkim: "", spf: "", headerFrom: "", signatures: [] };
}

export type RowCollector = {
  add(record: RawRecord): void;
  /** Some reporters leave the From out; then it is the domain whose policy it is. */
  finish(policyDomain: string): { rows: DmarcRow[]; records: number; recordsLeftOut: number };
};

type HeldRow = Omit<DmarcRow, "messages"> & { messages: number };
/** What records have in common but for their source. A report has a few such groups, and records of one follow each other. */
type Group = Omit<DmarcRow, "messages" | "sourceIp"> & { readonly key: string };

export function createRowCollector(budget: { rows: number }): RowCollector {
  const rows = new Map<string, HeldRow>();
  const texts = createTextPool();
  let last: { readonly record: RawRecord; readonly group: Group } | undefined;
  let records = 0;
  let recordsLeftOut = 0;

  function rowOf(record: RawRecord): { row: HeldRow; messages: number } | undefined {
    const sourceIp = readIp(record.sourceIp);
    const messages = readCount(record.count);
    if (sourceIp === undefined || messages === undefined) return undefined;
    const group = last && isOfSameGroup(last.record, record) ? last.group : groupOf(record);
    if (!group) return undefined;
    last = { record, group };
    const key = `${sourceIp} ${group.key}`;
    const held = rows.get(key);
    if (held) return { row: held, messages };
    if (budget.rows <= 0) return undefined;
    budget.rows--;
    const { headerFrom, disposition, isDkimAligned, isSpfAligned, selectors } = group;
    const row = {
      sourceIp: copyOf(sourceIp),
      headerFrom,
      disposition,
      isDkimAligned,
      isSpfAligned,
      selectors,
      messages: 0,
    };
    rows.set(key, row);
    return { row, messages };
  }

  /** Returns undefined where the From is no domain. Only the last one is kept: where all differ, they would cost as much as the rows. */
  function groupOf(record: RawRecord): Group | undefined {
    const headerFrom = record.headerFrom === "" ? "" : texts.read(record.headerFrom, readDomain);
    if (headerFrom === undefined) return undefined;
    const disposition = readDisposition(record.disposition);
    const isDkimAligned = record.dkim.toLowerCase() === "pass";
    const isSpfAligned = record.spf.toLowerCase() === "pass";
    const selectors = selectorsOf(record.signatures, headerFrom);
    const key = `${headerFrom} ${disposition} ${isDkimAligned} ${isSpfAligned} ${selectors}`;
    return { key, headerFrom, disposition, isDkimAligned, isSpfAligned, selectors: texts.keep(selectors) };
  }

  function selectorsOf(signatures: readonly Signature[], headerFrom: string): string {
    const found = new Set<string>();
    for (const { domain, selector } of signatures) {
      const signer = texts.read(domain, readDomain);
      if (signer === undefined || (headerFrom !== "" && !isOfSameOrganisation(signer, headerFrom))) continue;
      found.add(readSelector(selector) ?? "?");
    }
    return [...found].sort().join(",").slice(0, LIMITS.fieldUnits);
  }

  return {
    add(record) {
      const found = rowOf(record);
      if (!found) {
        recordsLeftOut++;
        return;
      }
      found.row.messages += found.messages;
      records++;
    },
    finish(policyDomain) {
      const list = [...rows.values()].map((row) =>
        row.headerFrom === "" ? { ...row, headerFrom: policyDomain } : row,
      );
      return { rows: list, records, recordsLeftOut };
    },
  };
}

function isOfSameGroup(one: RawRecord, other: RawRecord): boolean {
  return (
    one.headerFrom === other.headerFrom &&
    one.disposition === other.disposition &&
    one.dkim === other.dkim &&
    one.spf === other.spf &&
    one.signatures.length === other.signatures.length &&
    one.signatures.every(
      ({ domain, selector }, nth) =>
        domain === other.signatures[nth]?.domain && selector === other.signatures[nth]?.selector,
    )
  );
}

const MOST_REMEMBERED = 10_000;

/** Keeps a copy of each value once: most records repeat the same few domains and selectors. */
function createTextPool() {
  const kept = new Map<string, string>();
  const read = new Map<string, string | undefined>();
  return {
    keep(text: string): string {
      const found = kept.get(text);
      if (found !== undefined) return found;
      const own = copyOf(text);
      if (kept.size < MOST_REMEMBERED) kept.set(own, own);
      return own;
    },
    read(text: string, reader: (text: string) => string | undefined): string | undefined {
      if (read.has(text)) return read.get(text);
      const value = reader(text);
      const own = value === undefined ? undefined : copyOf(value);
      if (read.size < MOST_REMEMBERED && text.length <= LIMITS.fieldUnits) read.set(copyOf(text), own);
      return own;
    },
  };
}
