/**
 * Writes the product's own mail, as text and as HTML: short, without pictures and without tracking. Whatever people have written, such
 * as names, is only ever text in it.
 */
import { escapeHtml } from "../content/content.ts";

export type Letter = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly action: { readonly label: string; readonly url: string };
  /** What is said below, in smaller letters. */
  readonly notes: readonly string[];
};

const LONGEST = 200;

/**
 * Makes one line of what somebody has written: without control characters, and without those that turn the direction of writing. A
 * name that looks like an address of the web gets an invisible sign in it, so that no mail program makes a link of it.
 */
export function oneLine(text: string, longest = LONGEST): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const short = [...line].length > longest ? `${[...line].slice(0, longest).join("")}…` : line;
  return short.replaceAll(/:(?=\/\/)|\.(?=\S)/g, "$&\u200c");
}

/** A name between quotation marks, or what stands for one that is empty. */
export function quoted(name: string, otherwise: string): string {
  const line = oneLine(name);
  return line === "" ? otherwise : `“${line}”`;
}

export function writeText({ paragraphs, action, notes }: Letter): string {
  return `${[...paragraphs, `${action.label}:\n${action.url}`, ...notes].join("\n\n")}\n`;
}

/** The colours are of our dashboard, and turn with those of the reader's program. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #14171a !important; color: #e8e6e1 !important; }
    .note { color: #a8a59e !important; }
    .act { background: #e8e6e1 !important; color: #14171a !important; }
    .plain { color: #e8e6e1 !important; }
  }`;

export function writeHtml({ subject, paragraphs, action, notes }: Letter): string {
  const text = (one: string) => escapeHtml(one);
  const said = paragraphs.map((one) => `<p style="margin:0 0 16px">${text(one)}</p>`).join("\n");
  const below = notes
    .map(
      (one) =>
        `<p class="note" style="margin:0 0 8px;font-size:14px;line-height:20px;color:#5f5c55">${text(one)}</p>`,
    )
    .join("\n");
  const url = text(action.url);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${text(subject)}</title>
<style>${STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#ffffff;color:#1c1b19">
<div class="page" style="max-width:560px;margin:0 auto;padding:32px 20px;background:#ffffff;color:#1c1b19;font:16px/24px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
${said}
<p style="margin:24px 0"><a class="act" href="${url}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1c1b19;color:#ffffff;text-decoration:none">${text(action.label)}</a></p>
<p class="note" style="margin:0 0 24px;font-size:14px;line-height:20px;color:#5f5c55">Or open this address:<br><a class="plain" href="${url}" style="color:#1c1b19">${url}</a></p>
${below}
</div>
</body>
</html>
`;
}
