/** Adds up records that are alike while they are read, so that memory grows with what differs and not with what is sent. */
import {
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

export function createRowCollector(budget: { rows: number }): RowCollector {
  const rows = new Map<string, HeldRow>();
  const texts = createTextPool();
  let records = 0;
  let recordsLeftOut = 0;

  function rowOf(record: RawRecord): { row: HeldRow; messages: number } | undefined {
    const sourceIp = readIp(record.sourceIp);
    const messages = readCount(record.count);
    const headerFrom = record.headerFrom === "" ? "" : texts.read(record.headerFrom, readDomain);
    if (sourceIp === undefined || messages === undefined || headerFrom === undefined) return undefined;
    const disposition = readDisposition(record.disposition);
    const isDkimAligned = record.dkim.toLowerCase() === "pass";
    const isSpfAligned = record.spf.toLowerCase() === "pass";
    const selectors = selectorsOf(record.signatures, headerFrom);
    const key = `${sourceIp} ${headerFrom} ${disposition} ${isDkimAligned} ${isSpfAligned} ${selectors}`;
    const held = rows.get(key);
    if (held) return { row: held, messages };
    if (budget.rows <= 0) return undefined;
    budget.rows--;
    const row = {
      sourceIp: texts.keep(sourceIp),
      headerFrom,
      disposition,
      isDkimAligned,
      isSpfAligned,
      selectors: texts.keep(selectors),
      messages: 0,
    };
    rows.set(key, row);
    return { row, messages };
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

const MOST_REMEMBERED = 10_000;

/**
 * A slice of a text keeps the whole text in memory, so what is kept is copied, once for each value: most records repeat the same
 * few domains and selectors.
 */
function createTextPool() {
  const kept = new Map<string, string>();
  const read = new Map<string, string | undefined>();
  const copy = (text: string) => Buffer.from(text, "utf8").toString("utf8");
  return {
    keep(text: string): string {
      const found = kept.get(text);
      if (found !== undefined) return found;
      const own = copy(text);
      if (kept.size < MOST_REMEMBERED) kept.set(own, own);
      return own;
    },
    read(text: string, reader: (text: string) => string | undefined): string | undefined {
      if (read.has(text)) return read.get(text);
      const value = reader(text);
      const own = value === undefined ? undefined : copy(value);
      if (read.size < MOST_REMEMBERED && text.length <= LIMITS.fieldUnits) read.set(copy(text), own);
      return own;
    },
  };
}
