/**
 * Adds what a mail needs and its author left out: the preview text, the unsubscribe link, the postal address, the
 * open pixel.
 */
import type { Edit } from "../edits.ts";
import { escapeHtml } from "../escape.ts";
import type { HtmlScan } from "./scan.ts";

export type Footer = {
  readonly postalAddress: string | null;
  /** The text of the unsubscribe link; null stands for "Unsubscribe". */
  readonly unsubscribeLabel: string | null;
};

/** Says what the author's own Liquid shows already, whoever the recipient is. */
export type Shown = { readonly unsubscribe: boolean; readonly postalAddress: boolean };

const HIDDEN = "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all";
/** This padding keeps a mail program from showing the first words of the body after a short preview text. */
const PADDING = "&#847;&zwnj;&nbsp;".repeat(80);

/** Inserts the preview text, which must be compiled for HTML already, at the start of the body. */
export function insertPreheader(preheader: string, { bodyBegin }: HtmlScan): Edit {
  return { begin: bodyBegin, end: bodyBegin, text: `<div style="${HIDDEN}">${preheader}${PADDING}</div>` };
}

export function insertFooterAndPixel(
  scan: HtmlScan,
  footer: Footer | null,
  shown: Shown,
  hasPixel: boolean,
  honeypot: number | null,
): Edit[] {
  const hidden = honeypot === null ? "" : honeypotOf(honeypot);
  const text = (footer ? htmlFooter(footer, shown) : "") + hidden + (hasPixel ? PIXEL : "");
  return text === "" ? [] : [{ begin: scan.bodyEnd, end: scan.bodyEnd, text }];
}

const PIXEL =
  '<img src="{% _pixel %}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">';

/** Neither eyes nor screen readers nor the tab key come upon this link. */
function honeypotOf(index: number): string {
  return `<a href="{% _link ${index} %}" style="${HIDDEN}" tabindex="-1" aria-hidden="true" rel="nofollow"></a>`;
}

function htmlFooter({ postalAddress, unsubscribeLabel }: Footer, shown: Shown): string {
  const lines: string[] = [];
  if (postalAddress && !shown.postalAddress) {
    lines.push(
      ...postalAddress
        .trim()
        .split(/\r?\n/)
        .map((line) => escapeStatic(line)),
    );
  }
  if (!shown.unsubscribe) {
    const label = escapeStatic(unsubscribeLabel ?? "Unsubscribe");
    lines.push(`<a href="{{ unsubscribe_url | _url }}" style="color:#666666">${label}</a>`);
  }
  if (lines.length === 0) return "";
  const style = "padding:24px 16px;font-family:sans-serif;font-size:12px;line-height:18px;color:#666666";
  return `<div style="${style};text-align:center">${lines.join("<br>")}</div>`;
}

export function textFooter({ postalAddress, unsubscribeLabel }: Footer, shown: Shown): string {
  const lines: string[] = [];
  if (postalAddress && !shown.postalAddress) lines.push(hideBraces(postalAddress.trim()));
  if (!shown.unsubscribe) {
    lines.push(`${hideBraces(unsubscribeLabel ?? "Unsubscribe")}: {{ unsubscribe_url | _plain_url }}`);
  }
  return lines.length === 0 ? "" : `\n\n-- \n${lines.join("\n")}\n`;
}

/** Escapes text of ours or of the account, in which braces are no Liquid. */
function escapeStatic(text: string): string {
  return escapeHtml(text).replaceAll("{", "&#123;");
}

/**
 * Rewrites braces that would be read as Liquid. This includes a brace at the end of the text, because another may
 * follow it.
 */
export function hideBraces(text: string): string {
  return text.replaceAll(/\{(?=[{%]|$)/g, '{{ "{" }}');
}
