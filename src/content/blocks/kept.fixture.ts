/** Asserts that a mail has all words and links of the document that it was made from, and nothing that runs. */
import assert from "node:assert/strict";
import { Parser } from "htmlparser2";
import type { MergeData } from "../content.ts";
import type { Mail } from "../support.fixture.ts";
import type { Block, BlocksDocument, Inline } from "./schema.ts";

export function assertKept(document: BlocksDocument, { html }: Mail, recipient: MergeData): void {
  const read = readHtml(html);
  assert.deepEqual(read.running, []);
  for (const block of document.blocks.flatMap(blocksIn)) {
    // Whether somebody sees a block with a condition is another question.
    if (block.only_for || block.repeat) continue;
    for (const said of wordsOf(block)) {
      assert.ok(read.text.includes(squeeze(said)), `${JSON.stringify(said)} is missing in ${read.text}`);
    }
    for (const link of linksOf(block)) {
      const address = link.startsWith("{{") ? recipient.urls.unsubscribe : link.split("{{")[0];
      assert.ok(
        read.links.some((found) => found.startsWith(address ?? "")),
        `${link} is missing among ${read.links.join(" ")}`,
      );
    }
  }
}

function blocksIn(block: Block): Block[] {
  if (block.type !== "columns") return [block];
  return block.only_for || block.repeat ? [] : block.columns.flatMap(({ blocks }) => blocks);
}

/** All texts that people typed, wherever they stand in the block; HTML by hand is cleaned, so it is looked at elsewhere. */
function wordsOf(block: Block): string[] {
  return block.type === "html"
    ? []
    : valuesOf(block, new Set(["text", "label", "unsubscribe", "preferences", "view"]));
}

function linksOf(block: Block): string[] {
  // A button is one link, whatever its words say.
  if (block.type === "button") return [block.link];
  return linked(block);
}

function valuesOf(value: unknown, names: ReadonlySet<string>): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesOf(one, names));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === "string" && names.has(name) ? [one] : valuesOf(one, names),
  );
}

/** Words without a character make no link. */
function linked(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linked);
  if (typeof value !== "object" || value === null) return [];
  const inline = value as Partial<Inline> & { link?: string };
  const own = typeof inline.link === "string" ? [inline.link] : [];
  return [...own, ...Object.values(value).flatMap(linked)];
}

const ADDRESSES = new Set(["href", "src", "action", "background", "poster", "srcset"]);

type Read = { readonly text: string; readonly links: readonly string[]; readonly running: readonly string[] };

function readHtml(html: string): Read {
  const text: string[] = [];
  const links: string[] = [];
  const running: string[] = [];
  let isStyle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      isStyle = name === "style";
      if (/^(?:script|iframe|object|embed|form|input|svg)$/.test(name)) running.push(name);
      for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) running.push(key);
        if (ADDRESSES.has(key) && /^\s*(?:javascript|data|vbscript):/i.test(value)) running.push(value);
        if (key === "style" && /javascript:|expression\(|url\((?!["']?https?:)/i.test(value))
          running.push(value);
        if (key === "href") links.push(value);
        if (key === "alt") text.push(value);
      }
    },
    ontext(value) {
      if (!isStyle) text.push(value);
    },
    onclosetag() {
      isStyle = false;
    },
  });
  parser.end(html);
  return { text: squeeze(text.join("")), links, running };
}

/** Blanks don't count, because HTML has many that nobody sees. */
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
