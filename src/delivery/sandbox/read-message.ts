/** Reads a caught message as a person sees it, without the attachments: to decode 18 MB of them takes seconds, and nothing shows them. */
import PostalMime, { type Email } from "postal-mime";

/** A message up to this size is read whole, in a few milliseconds. */
const SMALL_BYTES = 256 * 1_024;
const LINE = "\r\n";
/** Every boundary that we compose begins so. */
const BOUNDARY = "--=_";
const DISPOSITION = `${LINE}Content-Disposition: `;

export function readMessage(raw: Buffer): Promise<Email> {
  return PostalMime.parse(raw.length <= SMALL_BYTES ? raw : withoutAttachments(raw));
}

/** In a message that we compose, texts come before images and attachments; these alone say how they are to be shown. */
export function withoutAttachments(raw: Buffer): Buffer {
  for (let at = raw.indexOf(DISPOSITION); at >= 0; at = raw.indexOf(DISPOSITION, at + 1)) {
    const begin = beginningOfPart(raw, at);
    if (begin !== undefined) return raw.subarray(0, begin);
  }
  return raw;
}

/** Goes back over the header in which the line before `at` stands; undefined where it is no part's, as when a text quotes one. */
function beginningOfPart(raw: Buffer, at: number): number | undefined {
  let end = at;
  for (;;) {
    const begin = raw.lastIndexOf(LINE, end - 1);
    if (begin < 0) return undefined;
    const line = raw.toString("latin1", begin + LINE.length, end);
    if (line.startsWith(BOUNDARY)) return begin + LINE.length;
    if (!/^(Content-|[ \t])/.test(line)) return undefined;
    end = begin;
  }
}
