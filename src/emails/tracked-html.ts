/**
 * Tracked mail counts opens by a pixel and clicks by links that lead here first. Such a link carries where it leads, signed, so that it
 * works for as long as the mail is kept by whoever got it, and not only for as long as we keep the mail.
 */
import { getAccount } from "../accounts/accounts.ts";
import { type CompiledContent, type ContentWorkers, escapeHtml } from "../content/content.ts";
import type { SenderFacts } from "../domains/domains.ts";
import { isTrackedInPerson, type LinkTokens } from "../messages/messages.ts";
import type { Ctx } from "../platform/context.ts";
import { hiding, refusalOf, type Texts, type TrackedHtml } from "./input/input.ts";
import type { EmailCreate } from "./schema.ts";

export type Tracking = { readonly opens: boolean; readonly clicks: boolean };

const PIXEL = -1;
/** A longer address would not pass all mail programs and servers on the way, so its link stays as it is. */
const LONGEST_URL = 2_000;
const UNTRACKED: Tracking = { opens: false, clicks: false };

/**
 * A mail has one reader, so what is counted of it is counted of a person. Nobody is asked about transactional mail: it is tracked
 * where the account tracks everybody who hasn't refused, and nowhere else.
 */
export async function chooseTracking(
  { sql, accountId }: Ctx,
  given: EmailCreate["tracking"],
): Promise<Tracking> {
  const wanted = { opens: given?.opens ?? false, clicks: given?.clicks ?? false };
  if (!wanted.opens && !wanted.clicks) return UNTRACKED;
  const account = await getAccount(sql, accountId);
  return isTrackedInPerson(account?.tracking ?? "individual", null) ? wanted : UNTRACKED;
}

/** Adds the HTML of tracked copies to the texts. The text part is never tracked. */
export async function trackHtml(
  tools: { readonly workers: Pick<ContentWorkers, "compile">; readonly publicUrl: () => string },
  accountId: string,
  texts: Texts,
  tracking: Tracking,
  { trackingHost }: Pick<SenderFacts, "trackingHost">,
): Promise<Texts> {
  const { html } = texts;
  if (html === null || (!tracking.opens && !tracking.clicks)) return texts;
  const publicUrl = tools.publicUrl();
  const { hide, show } = hiding(html);
  const made = await tools.workers.compile(
    {
      subject: "",
      preheader: null,
      html: hide(html),
      mjml: null,
      text: null,
      tracking,
      links: { utm: null, ownUrl: publicUrl, honeypot: false, areTokensPersonal: true },
      footer: null,
      // Nothing but links and the pixel is changed.
      sketchFor: accountId,
    },
    accountId,
  );
  if (!made.ok) throw refusalOf(made.faults);
  const pieces = piecesOf(made.compiled).map((piece) => (typeof piece === "string" ? show(piece) : piece));
  const links = made.compiled.links.map(({ url, target = url }) => show(target));
  return { ...texts, tracked: { publicUrl, ...(trackingHost && { trackingHost }), pieces, links } };
}

/** A link is a slot for the beginning of its address, behind which its number stands as text. */
function piecesOf({ html, slots }: CompiledContent): (string | number)[] {
  let isNumberNext = false;
  return (html ?? []).flatMap((piece): (string | number)[] => {
    if (typeof piece !== "string") {
      const isPixel = slots[piece.slot]?.kind === "pixel";
      isNumberNext = !isPixel;
      return isPixel ? [PIXEL] : [];
    }
    const number = isNumberNext ? (/^\d+/.exec(piece)?.[0] ?? "") : "";
    isNumberNext = false;
    return number === "" ? [piece] : [Number(number), piece.slice(number.length)];
  });
}

/** Writes the HTML of one recipient's copy. Its links lead over the sender's own host while that is still in order. */
export function htmlFor(
  { publicUrl, trackingHost, pieces, links }: TrackedHtml,
  linkTokens: Pick<LinkTokens, "pathTo">,
  token: string,
  sender: Pick<SenderFacts, "trackingHost">,
): string {
  const isUsable = trackingHost !== undefined && trackingHost === sender.trackingHost;
  const address = isUsable ? `https://${trackingHost}` : publicUrl;
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      if (piece === PIXEL) return escapeHtml(`${address}/o/${token}`);
      const url = links[piece] ?? "";
      return escapeHtml(url.length > LONGEST_URL ? url : `${address}${linkTokens.pathTo(token, piece, url)}`);
    })
    .join("");
}
