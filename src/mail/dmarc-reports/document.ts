/** Turns the bytes of one document, as they are unpacked, into text and hands it to the parser of reports. */
import { createFeedbackParser } from "./feedback.ts";
import { type DmarcReport, LIMITS, type Refusal, refusals } from "./report.ts";
import { sniff } from "./sniff.ts";

/** What was found in a file so far, and how much more of it may be read. */
export type Findings = {
  readonly now: Date;
  readonly reports: DmarcReport[];
  readonly refusals: Refusal[];
  readonly budget: { rows: number; xmlBytes: number };
};

export type DocumentReader = {
  /** Returns false once nothing more is wanted. */
  write(bytes: Uint8Array): boolean;
  /** `isWhole` is false where the bytes ended because they could not be unpacked. */
  end(isWhole: boolean): void;
};

/** So much is looked at before it is decided what it is: the XML declaration stands within it. */
const HEAD_BYTES = 512;
/** The parser may be stopped between two pieces of this size only. */
const PIECE_BYTES = 64 * 1_024;

export function createDocumentReader(findings: Findings): DocumentReader {
  const { budget } = findings;
  const found = { reports: 0, refusals: 0 };
  let head: Buffer = Buffer.alloc(0);
  let text: { decoder: TextDecoder; parser: ReturnType<typeof createFeedbackParser> } | undefined;
  let isOver = false;

  function refuse(refusal: Refusal): void {
    found.refusals++;
    isOver = true;
    findings.refusals.push(refusal);
  }

  function begin(): boolean {
    const kind = sniff(head);
    if (kind === "zip" || kind === "gzip") refuse(refusals.nestedArchive);
    else if (kind === "json") refuse(refusals.tlsReport);
    else if (kind !== "xml") refuse(refusals.notAReport);
    else {
      const parser = createFeedbackParser({
        budget,
        now: findings.now,
        onReport(report) {
          if (findings.reports.length >= LIMITS.reports) return refuse(refusals.tooManyReports);
          found.reports++;
          findings.reports.push(report);
        },
        onRefusal: (refusal) => {
          found.refusals++;
          findings.refusals.push(refusal);
        },
      });
      text = { decoder: new TextDecoder(charsetOf(head)), parser };
      const bytes = head;
      head = Buffer.alloc(0);
      parse(bytes);
    }
    return !isOver;
  }

  function parse(bytes: Uint8Array): void {
    for (let at = 0; text && at < bytes.length && !isOver; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      budget.xmlBytes -= piece.length;
      if (budget.xmlBytes < 0) refuse(refusals.tooLarge);
      else if (!text.parser.write(text.decoder.decode(piece, { stream: true }))) isOver = true;
    }
  }

  return {
    write(bytes) {
      if (isOver) return false;
      if (text) parse(bytes);
      else {
        head = Buffer.concat([head, bytes]);
        if (head.length >= HEAD_BYTES) begin();
      }
      return !isOver;
    },
    end(isWhole) {
      if (!isOver && !text && head.length > 0) begin();
      if (!isOver) text?.parser.end();
      if (found.reports > 0 || found.refusals > 0) return;
      findings.refusals.push(
        isWhole ? (text ? refusals.notAReport : refusals.empty) : refusals.brokenArchive,
      );
    },
  };
}

/** By the byte order mark, by the zeros of UTF-16, else as the declaration says (XML 1.0 appendix F). */
function charsetOf(head: Buffer): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  const declared = /^[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head.toString("latin1"))?.[1];
  // A document that could be read so far isn't UTF-16, whatever it says; some reporters convert it and leave the declaration.
  return declared !== undefined && isKnown(declared) && !/^utf-?16/i.test(declared) ? declared : "utf-8";
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "replacement";
  } catch {
    return false;
  }
}
