/**
 * Compiles MJML section by section, for whoever types: of 160 sections one has changed, and the others are remembered. A section
 * looks the same beside whatever others; only the comments for Outlook between two of them aren't joined.
 */
import { hash } from "node:crypto";
import { marker } from "./markers.ts";

/** Compiles a whole document; undefined where it has faults. */
type Compile = (mjml: string) => Promise<string | undefined>;
type Kept = {
  readonly html: string;
  /** The style sheets that MJML made for it and those compiled with it. */
  readonly styles: readonly string[];
  /** So many characters are freed with it. All sections of a compilation hold its whole text; the last of them counts it. */
  readonly cost: number;
};
/** The document around the sections, as two halves. */
type Frame = readonly [string, string];

const MOST_CHARACTERS = 8_000_000;
/** Each is some kilobytes, and another for each letter that is typed into the head. */
const MOST_FRAMES = 50;
const sections = new Map<string, Kept>();
const frames = new Map<string, Frame>();
let kept = 0;
let keptByFrames = 0;

/** Stands between two sections. Text that holds it is compiled as a whole. */
const CUT = "\uE0F2";
const RAW_CUT = `<mj-raw>${CUT}</mj-raw>`;

/**
 * Returns undefined for what can't be cut, and for what has a fault, which only the whole can locate. Accounts share nothing
 * that is remembered: sections are compiled together, and a hostile one could change what is kept of its neighbours.
 */
export async function compileBySections(
  accountId: string,
  mjml: string,
  compile: Compile,
): Promise<string | undefined> {
  const parts = split(mjml);
  if (!parts || mjml.includes(CUT)) return undefined;
  const { before, bodies, after } = parts;
  const local = bodies.map(toLocal);
  const keys = local.map(({ text }) => hash("sha256", `${accountId}\0${before}\0${text}`, "base64"));
  const frameKey = hash("sha256", `${accountId}\0${before}\0${after}`, "base64");
  const missing = local.filter((_, at) => !sections.has(keys[at] ?? ""));
  if (missing.length > 0 || !frames.has(frameKey)) {
    const texts = missing.map(({ text }) => text + RAW_CUT);
    const html = await compile(before + RAW_CUT + texts.join("") + after);
    const cut = html?.split(CUT);
    if (!cut || cut.length !== missing.length + 2) return undefined;
    const [head = "", ...rest] = cut;
    const end = rest.pop() ?? "";
    keep(
      frameKey,
      [head, end],
      keys.filter((key) => !sections.has(key)),
      rest,
    );
  }
  return join(frames.get(frameKey), keys, local);
}

function keep(frameKey: string, [head, end]: Frame, keys: readonly string[], htmls: readonly string[]): void {
  const styles = [...head.matchAll(STYLE)].map(([style]) => style);
  const whole = htmls.reduce((sum, html) => sum + html.length, head.length + end.length);
  if (!frames.has(frameKey)) keepFrame(frameKey, [head, end], whole);
  for (const [at, key] of keys.entries()) {
    const cost = at === keys.length - 1 ? whole : 0;
    sections.set(key, { html: htmls[at] ?? "", styles, cost });
    kept += cost;
  }
  for (const [key, { cost }] of sections) {
    if (kept <= MOST_CHARACTERS) return;
    sections.delete(key);
    kept -= cost;
  }
}

function keepFrame(key: string, frame: Frame, cost: number): void {
  if (frames.size >= MOST_FRAMES || keptByFrames + cost > MOST_CHARACTERS) {
    frames.clear();
    keptByFrames = 0;
  }
  frames.set(key, frame);
  keptByFrames += cost;
}

const STYLE = /<style\b[^>]*>[\s\S]*?<\/style>/g;

function join(
  frame: Frame | undefined,
  keys: readonly string[],
  local: readonly Local[],
): string | undefined {
  if (!frame) return undefined;
  const [head, end] = frame;
  const found = keys.map((key) => sections.get(key));
  const styles = new Set(found.flatMap((one) => one?.styles ?? []));
  for (const [own] of head.matchAll(STYLE)) styles.delete(own);
  const at = head.search(/<\/head\s*>/);
  const body: string[] = [];
  for (const [number, section] of found.entries()) {
    if (!section) return undefined;
    const indexes = local[number]?.indexes ?? [];
    body.push(section.html.replaceAll(marker, (_, index: string) => `\uE0F0${indexes[Number(index)]}\uE0F1`));
  }
  return head.slice(0, at) + [...styles].join("") + head.slice(at) + body.join("") + end;
}

/** A section with the numbers of its Liquid counted from 0, so that Liquid before it doesn't make it another. */
type Local = { readonly text: string; readonly indexes: readonly string[] };

function toLocal(body: string): Local {
  const indexes: string[] = [];
  const text = body.replaceAll(marker, (_, index: string) => `\uE0F0${indexes.push(index) - 1}\uE0F1`);
  return { text, indexes };
}

const TAGS = /<!--[\s\S]*?-->|<(\/?)mj-(?:section|wrapper|hero|raw)\b[^>]*>/g;

function split(mjml: string): { before: string; bodies: string[]; after: string } | undefined {
  const [opening] = /<mj-body\b[^>]*>/.exec(mjml) ?? [];
  const begin = opening ? mjml.indexOf(opening) + opening.length : -1;
  const end = mjml.lastIndexOf("</mj-body>");
  if (begin < 0 || end < begin) return undefined;
  const inner = mjml.slice(begin, end);
  const bodies: string[] = [];
  let [depth, read] = [0, 0];
  for (const { 0: tag, 1: slash, index } of inner.matchAll(TAGS)) {
    if (slash === undefined) continue;
    depth += slash ? -1 : tag.endsWith("/>") ? 0 : 1;
    if (depth < 0) return undefined;
    if (depth > 0) continue;
    bodies.push(inner.slice(read, index + tag.length));
    read = index + tag.length;
  }
  if (depth !== 0 || bodies.length < 2 || inner.slice(read).trim() !== "") return undefined;
  return { before: mjml.slice(0, begin), bodies, after: mjml.slice(end) };
}
