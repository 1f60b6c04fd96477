/** Finds where two renderings differ, so that the frame can show that place: a frame that runs nothing can't be scrolled. */

const MARK = "postrider-shown";

export type Marked = { readonly html: string; readonly fragment: string };

/** The offset at which the two begin to differ. */
export function changedAt(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return at;
}

/**
 * Marks the element around this place, or the one before it, and names the fragment that shows it. A link or a field gets the
 * focus with the fragment, away from the editor in which somebody types, so that none is marked.
 */
export function markPlace(html: string, offset: number): Marked {
  const body = Math.max(html.search(/<body[\s>]/i), 0);
  const tag = findTag(html, offset, body);
  if (!tag) return { html, fragment: "" };
  if (tag.id !== undefined) return { html, fragment: tag.id };
  const marked = `${html.slice(0, tag.nameEnd)} id="${MARK}"${html.slice(tag.nameEnd)}`;
  return { html: withMargin(marked), fragment: MARK };
}

type Tag = { readonly nameEnd: number; readonly id: string | undefined };

/** Far enough for what stands between two elements, such as the tables of MJML that only Outlook sees. */
const MOST_LOOKS = 200;
const PASSED = "body|html|head|style|script|title|meta|br|tbody|tr";
const FOCUSABLE = "a|area|audio|button|details|embed|iframe|input|label|object|select|summary|textarea|video";
const START = new RegExp(`^<(?!(?:${PASSED}|${FOCUSABLE})[\\s>])([a-z][a-z\\d]*)(?=[\\s>])([^<>]*)>`, "i");
const TAKES_FOCUS = /\s(?:tabindex|contenteditable)\b/i;
const ID = /\sid\s*=\s*(?:"([^"\s]+)"|'([^'\s]+)')/i;

function findTag(html: string, offset: number, least: number): Tag | undefined {
  let at = offset + 1;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    at = html.lastIndexOf("<", at - 1);
    if (at <= least) return undefined;
    const comment = html.lastIndexOf("<!--", at);
    if (comment >= 0 && html.indexOf("-->", comment) > at) {
      at = comment;
      continue;
    }
    const [whole, name = "", attributes = ""] = START.exec(html.slice(at, at + 4_000)) ?? [];
    if (whole === undefined || TAKES_FOCUS.test(attributes)) continue;
    const [, quoted, single] = ID.exec(attributes) ?? [];
    return { nameEnd: at + 1 + name.length, id: quoted ?? single };
  }
  return undefined;
}

/** What is changed stands a little below the top, so that what comes before it is seen too. */
function withMargin(html: string): string {
  const head = html.search(/<\/head\s*>/i);
  if (head < 0) return html;
  return `${html.slice(0, head)}<style>#${MARK}{scroll-margin-top:30vh}</style>${html.slice(head)}`;
}
