/** Reads header fields (RFC 5322 §2.2) and MIME parameters (RFC 2045 §5.1), leniently and within bounds. */
import { decodeText } from "./text.ts";
import { decodeBase64, decodeQuoted } from "./transfer.ts";

/** A header field: its name in lower case, its value unfolded, with encoded words still encoded. */
export type ParsedField = { readonly name: string; readonly value: string };

/** Real header blocks stay below 64 KB; whatever comes after this many bytes is ignored. */
export const MAX_BLOCK_BYTES = 256 * 1024;
export const MAX_FIELDS = 1000;
export const MAX_VALUE_UNITS = 8 * 1024;

/** Lines that are no field, such as mbox's `From ` line, are left out. */
export function readFields(block: Buffer, maxValueUnits = MAX_VALUE_UNITS): ParsedField[] {
  return parseFields(decodeText(block.subarray(0, MAX_BLOCK_BYTES), undefined), maxValueUnits);
}

export function parseFields(text: string, maxValueUnits = MAX_VALUE_UNITS): ParsedField[] {
  const fields: { name: string; value: string }[] = [];
  let last: { name: string; value: string } | undefined;
  for (const line of text.split("\n")) {
    if (fields.length >= MAX_FIELDS) break;
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (last && last.value.length < maxValueUnits) last.value += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    if (!isFieldName(name)) {
      last = undefined;
      continue;
    }
    last = { name: name.toLowerCase(), value: line.slice(colon + 1).trim() };
    fields.push(last);
  }
  return fields.map(({ name, value }) => ({ name, value: value.slice(0, maxValueUnits).trim() }));
}

export function findField(fields: readonly ParsedField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value;
}

function isFieldName(name: string): boolean {
  return name.length > 0 && name.length <= 100 && /^[!-9;-~]+$/.test(name);
}

/** Splits `text/plain; charset="utf-8"` into its two halves, in lower case except for the parameters' values. */
export function parseParameters(value: string): {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
} {
  const type = /^\s*([\w.+-]{1,100}\/[\w.+-]{1,100})/.exec(value)?.[1]?.toLowerCase() ?? "";
  const parameters = new Map<string, string>();
  const pattern = /[;\s]\s*([\w-]+)(?:\*\d*)?\*?\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g;
  for (const [, name = "", quoted, bare] of value.matchAll(pattern)) {
    const key = name.toLowerCase();
    // A long value may come in numbered pieces (RFC 2231 §3).
    parameters.set(key, ((parameters.get(key) ?? "") + (quoted ?? bare ?? "")).slice(0, MAX_VALUE_UNITS));
  }
  return { type, parameters };
}

/** Decodes the encoded words of RFC 2047. Blanks between two of them belong to neither (§6.2). */
export function decodeWords(value: string): string {
  const joined = value.replace(/(=\?[^?\s]{1,60}\?[bq]\?[^?\s]*\?=)\s+(?==\?)/gi, "$1");
  return joined.replace(
    /=\?([^?\s*]{1,60})(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi,
    (_, charset: string, kind: string, text: string) => {
      const bytes = Buffer.from(kind.toLowerCase() === "q" ? text.replaceAll("_", " ") : text, "latin1");
      return decodeText(kind.toLowerCase() === "q" ? decodeQuoted(bytes) : decodeBase64(bytes), charset);
    },
  );
}
