/** The usual way to make a mail in Node: LiquidJS on a template parsed once, then nodemailer's MailComposer. */
import { Liquid } from "liquidjs";
import MailComposer from "nodemailer/lib/mail-composer";

export type ReferenceTemplate = { readonly subject: string; readonly html: string; readonly text: string };

/** Values are HTML-escaped in the HTML, as they must be; links come from the scope. */
export function createReference({ subject, html, text }: ReferenceTemplate) {
  const plain = new Liquid({ ownPropertyOnly: true });
  const escaping = new Liquid({ ownPropertyOnly: true, outputEscape: "escape" });
  const parsed = {
    subject: plain.parse(subject),
    html: escaping.parse(html),
    text: plain.parse(text),
  };
  return (scope: { readonly email: string }): Promise<Buffer> => {
    const mail = new MailComposer({
      from: '"News" <news@example.org>',
      to: scope.email,
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
