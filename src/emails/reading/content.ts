/** Shows a mail as it was made, for as long as its texts are kept. */
import { escapeHtml } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { composeForShow } from "../compose.ts";
import { contentGone, contentPrivate, contentUnreadable } from "../problems.ts";
import type { EmailContent } from "../schema.ts";
import { openBody, openEnvelope } from "../sealed.ts";
import { findEmail, readContents } from "../store.ts";

/** Opens what is kept of a mail; refuses where there is no such mail, or its texts are gone. */
async function openContent({ sql, accountId }: Ctx, secrets: Secrets, id: string) {
  const row = await findEmail(sql, accountId, id);
  if (!row) throw missing("email");
  const [kept] = await readContents(sql, accountId, [id]);
  const place = { accountId, contentId: row.content_id };
  const envelope = kept && openEnvelope(secrets, place, kept.envelope);
  if (envelope?.isPrivate)
    throw new AppError(contentPrivate, "this mail has a link that is for its recipient alone");
  if (!kept?.body) throw new AppError(contentGone, "the texts of this mail are no longer kept");
  const body = openBody(secrets, place, kept.body);
  if (!envelope || !body) throw new AppError(contentUnreadable, "no SECRET_KEY opens the texts of this mail");
  return { row, kept, envelope, body };
}

/** Returns the HTML of a mail, and its text where it has none, as a document. */
export async function showHtml(ctx: Ctx, secrets: Secrets, id: string): Promise<string> {
  const { html, text } = (await openContent(ctx, secrets, id)).body;
  return html ?? `<!doctype html><pre style="white-space: pre-wrap">${escapeHtml(text ?? "")}</pre>`;
}

export async function showContent(ctx: Ctx, secrets: Secrets, id: string): Promise<EmailContent> {
  const { row, kept, envelope, body } = await openContent(ctx, secrets, id);
  const whole = composeForShow(row.wave_id, kept, envelope, body).toString();
  // The id of a mail has its wave in it, and a mail that waits for its time is in none.
  const raw = row.wave_id === null ? whole.replace(/^Message-ID:.*\r\n(?:[ \t].*\r\n)*/im, "") : whole;
  return {
    object: "email_content",
    email_id: toPublicId("msg", id),
    subject: envelope.subject,
    html: body.html,
    text: body.text,
    headers: headersOf(raw),
    raw,
  };
}

/** Reads the header as it stands in the mail, with lines unfolded (RFC 5322 §2.2.3). */
function headersOf(raw: string): { name: string; value: string }[] {
  const header = raw.slice(0, raw.indexOf("\r\n\r\n"));
  return header
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n")
    .map((line) => {
      const at = line.indexOf(":");
      return { name: line.slice(0, at), value: line.slice(at + 1).trim() };
    });
}
