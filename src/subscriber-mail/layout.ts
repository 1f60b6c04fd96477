/**
 * Writes what an account mails to one of its subscribers, as text and as HTML: short, in the account's colour, without pictures and
 * without tracking. Whatever people have written, such as names, is only ever text in it.
 */
import { escapeHtml } from "../content/content.ts";
import { brandColours } from "../public-pages/public-pages.ts";
import type { LetterWords } from "./letters/letters.ts";

export type Letter = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The one thing to do, where there is one. */
  readonly action: { readonly label: string; readonly url: string } | null;
  /** What is said below, in smaller letters. */
  readonly notes: readonly string[];
};

/** Whose mail it is. */
export type Brand = {
  readonly name: string;
  readonly colour: string | null;
  readonly postalAddress: string | null;
};

const LONGEST = 200;

/**
 * Makes one line of what somebody has written: without control characters, and without those that turn the direction of writing. A
 * name that looks like an address of the web gets an invisible sign in it, so that no mail program makes a link of it.
 */
export function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const short = [...line].length > LONGEST ? `${[...line].slice(0, LONGEST).join("")}…` : line;
  return short.replaceAll(/:(?=\/\/)|\.(?=\S)/g, "$&\u200c");
}

export function writeText({ paragraphs, action, notes }: Letter, brand: Brand): string {
  const act = action ? [`${action.label}:\n${action.url}`] : [];
  return `${[...paragraphs, ...act, ...notes, signature(brand)].filter(Boolean).join("\n\n")}\n`;
}

function signature({ name, postalAddress }: Brand): string {
  return [oneLine(name), postalAddress?.trim() ?? ""].filter(Boolean).join("\n");
}

const SHEETS = { light: "#ffffff", dark: "#14171a" } as const;
const PLAIN = {
  light: { ground: "#1c1b19", onGround: "#ffffff" },
  dark: { ground: "#e8e6e1", onGround: "#14171a" },
} as const;

/** The colours turn with those of the reader's program. */
function styleFor({ ground, onGround }: { readonly ground: string; readonly onGround: string }): string {
  return `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: ${SHEETS.dark} !important; color: #e8e6e1 !important; }
    .note { color: #a8a59e !important; }
    .act { background: ${ground} !important; color: ${onGround} !important; }
    .plain { color: #e8e6e1 !important; }
  }`;
}

const NOTE = "margin:0 0 8px;font-size:14px;line-height:20px;color:#5f5c55";

export function writeHtml(letter: Letter, brand: Brand, words: LetterWords): string {
  const text = (one: string) => escapeHtml(one);
  const { light, dark } = brandColours(brand.colour, SHEETS) ?? PLAIN;
  const said = letter.paragraphs.map((one) => `<p style="margin:0 0 16px">${text(one)}</p>`);
  const below = [...letter.notes, signature(brand)]
    .filter(Boolean)
    .map((one) => `<p class="note" style="${NOTE}">${text(one).replaceAll("\n", "<br>")}</p>`);
  return `<!doctype html>
<html lang="${text(words.lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${text(letter.subject)}</title>
<style>${styleFor(dark)}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${SHEETS.light};color:#1c1b19">
<div class="page" style="max-width:560px;margin:0 auto;padding:32px 20px;background:${SHEETS.light};color:#1c1b19;font:16px/24px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
${[...said, ...button(letter, light, words), ...below].join("\n")}
</div>
</body>
</html>
`;
}

function button(
  { action }: Letter,
  { ground, onGround }: { readonly ground: string; readonly onGround: string },
  words: LetterWords,
): readonly string[] {
  if (!action) return [];
  const [label, url] = [escapeHtml(action.label), escapeHtml(action.url)];
  return [
    `<p style="margin:24px 0"><a class="act" href="${url}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${ground};color:${onGround};text-decoration:none">${label}</a></p>`,
    `<p class="note" style="${NOTE};margin-bottom:24px">${escapeHtml(words.orOpen)}<br><a class="plain" href="${url}" style="color:#1c1b19">${url}</a></p>`,
  ];
}
