/**
 * This reference makes a mail as is usual in Node: LiquidJS on a template parsed once, then nodemailer's
 * MailComposer.
 */
import { Liquid } from "liquidjs";
import MailComposer from "nodemailer/lib/mail-composer";

export type ReferenceTemplate = {
  readonly from: { readonly name: string; readonly address: string };
  readonly listId: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
};

export type ReferenceCopy = {
  readonly to: string;
  readonly date: Date;
  /** The message id without angle brackets. */
  readonly messageId: string;
  readonly unsubscribeUrl: string;
  readonly scope: object;
};

/** Renders with values HTML-escaped in the HTML, as they must be; links come from the scope. */
export function createReference({ from, listId, subject, html, text }: ReferenceTemplate) {
  const plain = new Liquid({ ownPropertyOnly: true });
  const escaping = new Liquid({ ownPropertyOnly: true, outputEscape: "escape" });
  const parsed = {
    subject: plain.parse(subject),
    html: escaping.parse(html),
    text: plain.parse(text),
  };
  return ({ to, date, messageId, unsubscribeUrl, scope }: ReferenceCopy): Promise<Buffer> => {
    const mail = new MailComposer({
      from,
      to,
      date,
      messageId: `<${messageId}>`,
      headers: {
        "List-Unsubscribe": `<${unsubscribeUrl}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "List-Id": `<${listId}>`,
        Precedence: "bulk",
      },
      subject: String(plain.renderSync(parsed.subject, scope)),
      html: String(escaping.renderSync(parsed.html, scope)),
      text: String(plain.renderSync(parsed.text, scope)),
    });
    return new Promise((resolve, reject) =>
      mail.compile().build((error: Error | null, message?: Buffer) => {
        if (error || !message) reject(error ?? new Error("no message"));
        else resolve(message);
      }),
    );
  };
}
