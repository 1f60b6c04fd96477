/**
 * Author HTML is shown to people of the account only as a document of its own in a frame. Its response carries the
 * isolation: `sandbox` gives it an origin that shares nothing with ours and runs nothing, however it is opened.
 */
import { Parser } from "htmlparser2";

export type FrameOptions = {
  /** Where our own pictures are; a picture from anywhere else tells its server who looks, so it waits to be asked for. */
  readonly publicUrl: string;
  readonly pictures: "own" | "all";
  /** Whether its links may be followed, in a window of their own. */
  readonly links: "open" | "dead";
};

export function authorFrame(
  source: string,
  { publicUrl, pictures, links }: FrameOptions,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const at = placeInHead(source);
  const policy = [
    links === "open" ? "sandbox allow-popups allow-popups-to-escape-sandbox" : "sandbox",
    "default-src 'none'",
    pictures === "all" ? "img-src https: http: data:" : `img-src data: 'self' ${originOf(publicUrl)}`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ];
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "x-frame-options": "SAMEORIGIN",
      // By the HTML standard (7.4.5) a sandboxed document that also has an opener policy is a network error.
      "cross-origin-opener-policy": "unsafe-none",
    },
    // Other sites refuse to be shown in a frame of ours, so links open beside it.
    body: `${source.slice(0, at)}<base target="_blank">${source.slice(at)}`.toWellFormed(),
  };
}

/** The host stands in the policy, where a ";" of a strange host name would begin another directive. */
function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : "";
  return /^https?:\/\/[a-z\d.:[\]-]+$/.test(origin) ? origin : "";
}

/** A head begins at the front: reading the whole of a large mail for it would hold up other requests. */
const MOST_BEFORE_HEAD = 65_536;

/** Behind `<head>`, else behind the doctype, which must stay first, else at the very front. */
export function placeInHead(source: string): number {
  let behindHead: number | null = null;
  let behindDoctype = 0;
  let isBody = false;
  const parser = new Parser(
    {
      onprocessinginstruction(name) {
        if (behindHead === null && /^!doctype$/i.test(name)) behindDoctype = parser.endIndex + 1;
      },
      onopentag(name) {
        if (name === "head" && !isBody) behindHead ??= parser.endIndex + 1;
        else if (name !== "html") isBody = true;
      },
    },
    { decodeEntities: false },
  );
  parser.end(source.slice(0, MOST_BEFORE_HEAD));
  return behindHead ?? behindDoctype;
}
