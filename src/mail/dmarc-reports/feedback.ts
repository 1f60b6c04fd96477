/**
 * Finds every `feedback` element of an XML document (RFC 9990 §3.1, and RFC 7489 appendix C before it), wherever it stands and
 * whatever its namespace. The parser knows no DTD, so an entity that a document defines for itself is never expanded.
 */
import { Parser } from "htmlparser2";
import { copyOf, readDomain, readTime, readWords } from "./fields.ts";
import { type DmarcReport, LIMITS, type Refusal, refusals } from "./report.ts";
import { createRowCollector, emptyRecord, type RawRecord, type RowCollector } from "./rows.ts";

export type FeedbackParser = {
  /** Returns false once nothing more is wanted. */
  write(text: string): boolean;
  end(): void;
};

type Listener = {
  readonly budget: { rows: number };
  readonly now: Date;
  readonly onReport: (report: DmarcReport) => void;
  readonly onRefusal: (refusal: Refusal) => void;
};

/** A report while it is read: the texts of its own elements by parent and name, and the records that came so far. */
type Draft = { readonly depth: number; readonly texts: Map<string, string>; readonly rows: RowCollector };

const KEPT_TEXTS = new Set([
  "report_metadata/org_name",
  "report_metadata/email",
  "report_metadata/report_id",
  "date_range/begin",
  "date_range/end",
  "policy_published/domain",
  "policy_published/p",
  "policy_published/sp",
  "policy_published/np",
  "policy_published/adkim",
  "policy_published/aspf",
  "policy_published/pct",
  "policy_published/testing",
]);

export function createFeedbackParser({ budget, now, onReport, onRefusal }: Listener): FeedbackParser {
  const names: string[] = [];
  const localName = createLocalNames();
  let draft: Draft | undefined;
  let record: RawRecord | undefined;
  let text = "";
  let isOver = false;

  function open(tag: string): void {
    const name = localName(tag);
    names.push(name);
    text = "";
    if (names.length > LIMITS.depth) {
      isOver = true;
      parser.pause();
      onRefusal(refusals.tooDeep);
    } else if (!draft && name === "feedback") {
      draft = { depth: names.length, texts: new Map(), rows: createRowCollector(budget) };
    } else if (draft && name === "record") record = emptyRecord();
    else if (record && name === "dkim" && names.at(-2) === "auth_results")
      record.signatures.push({ domain: "", selector: "" });
  }

  function close(isImplied: boolean): void {
    const name = names.pop();
    const parent = names.at(-1);
    if (!draft || name === undefined) return;
    if (names.length < draft.depth) {
      const ended = draft;
      [draft, record] = [undefined, undefined];
      if (isImplied) onRefusal(refusals.brokenReport);
      else finish(ended);
    } else if (name === "record" && record) {
      // A record that something else closes was cut off, or is no record.
      if (!isImplied) draft.rows.add(record);
      record = undefined;
    } else if (record) readRecordText(record, parent, name, text);
    else if (text !== "") {
      const key = `${parent}/${name}`;
      if (KEPT_TEXTS.has(key)) draft.texts.set(key, text.trim());
    }
    text = "";
  }

  function finish({ texts, rows }: Draft): void {
    const read = readReport(texts, rows, now);
    if ("reason" in read) onRefusal(read);
    else onReport(read);
  }

  const parser = new Parser(
    {
      onopentagname: open,
      onclosetag: (_, isImplied) => close(isImplied),
      ontext(data) {
        if (draft && text.length <= LIMITS.fieldUnits * 4) text += data;
      },
    },
    { xmlMode: true },
  );
  return {
    write(chunk) {
      if (!isOver) parser.write(chunk);
      return !isOver;
    },
    end() {
      if (!isOver) parser.end();
    },
  };
}

const MOST_TAGS = 200;
const LONGEST_NAME = 40;

type KnownTag = { readonly tag: string; readonly name: string; next: KnownTag | undefined };

/**
 * Reads the name of a tag without its namespace. A report has some thirty tags and repeats them in the same order for each record, so
 * what followed a tag the last time is compared first, which costs less than to look it up.
 */
function createLocalNames(): (tag: string) => string {
  const known = new Map<string, KnownTag>();
  let last: KnownTag | undefined;
  return (tag) => {
    let found = last?.next;
    if (found?.tag !== tag) {
      found = known.get(tag);
      if (!found) {
        const name = readLocalName(tag);
        // A document may have any number of tags, of any length.
        if (tag.length > 2 * LONGEST_NAME || known.size >= MOST_TAGS) return name;
        found = { tag: copyOf(tag), name, next: undefined };
        known.set(found.tag, found);
      }
      if (last) last.next = found;
    }
    last = found;
    return found.name;
  };
}

function readLocalName(tag: string): string {
  const at = tag.indexOf(":") + 1;
  return tag.length - at > LONGEST_NAME ? "" : tag.slice(at).toLowerCase();
}

const MOST_SIGNATURES = 20;

function readRecordText(record: RawRecord, parent: string | undefined, name: string, text: string): void {
  switch (name) {
    case "source_ip":
      if (parent === "row") record.sourceIp = text.trim();
      return;
    case "count":
      if (parent === "row") record.count = text.trim();
      return;
    case "disposition":
      if (parent === "policy_evaluated") record.disposition = text.trim();
      return;
    case "spf":
      if (parent === "policy_evaluated") record.spf = text.trim();
      return;
    case "dkim":
      if (parent === "policy_evaluated") record.dkim = text.trim();
      else if (record.signatures.length > MOST_SIGNATURES) record.signatures.pop();
      return;
    case "header_from":
      if (parent === "identifiers") record.headerFrom = text.trim();
      return;
    case "domain":
    case "selector": {
      const signature = record.signatures.at(-1);
      if (parent === "dkim" && signature) signature[name] = text.trim();
    }
  }
}

/** The clock of a reporter may be wrong by some hours, and a report may end with a day that has begun elsewhere. */
const AHEAD_MS = 48 * 3_600_000;

function readReport(
  texts: ReadonlyMap<string, string>,
  collected: RowCollector,
  now: Date,
): DmarcReport | Refusal {
  const words = (key: string) => readWords(texts.get(key) ?? "");
  const policyDomain = readDomain(texts.get("policy_published/domain") ?? "");
  const email = words("report_metadata/email");
  const org = words("report_metadata/org_name") ?? email?.split("@").at(-1);
  const reportId = words("report_metadata/report_id");
  const begin = readTime(texts.get("date_range/begin") ?? "");
  const end = readTime(texts.get("date_range/end") ?? "");
  if (policyDomain === undefined) return invalid("`policy_published/domain` is no domain");
  if (org === undefined) return invalid("`org_name` is missing");
  if (reportId === undefined) return invalid("`report_id` is missing");
  if (begin === undefined || end === undefined || begin > end)
    return invalid("`date_range` is no range of times");
  if (end.getTime() > now.getTime() + AHEAD_MS)
    return { reason: "future_dates", detail: "`date_range` lies in the future" };
  const one = (name: string) => words(`policy_published/${name}`)?.toLowerCase() ?? null;
  const pct = one("pct");
  const testing = one("testing");
  return {
    org,
    email: email ?? null,
    reportId,
    begin,
    end,
    policyDomain,
    policy: {
      p: one("p"),
      sp: one("sp"),
      np: one("np"),
      adkim: one("adkim"),
      aspf: one("aspf"),
      pct: pct !== null && /^\d{1,3}$/.test(pct) ? Number(pct) : null,
      testing: testing === null ? null : testing === "y",
    },
    ...collected.finish(policyDomain),
  };
}

function invalid(detail: string): Refusal {
  return { reason: "invalid_report", detail };
}
