/** A mail without any fault, to which each test adds one. */
import type { Message } from "./message.ts";

const unsubscribeUrl = "https://mail.acme.dev/u/abc?x=1&y=2";
const postalAddress = "1 High Street, London N1 1AA, UK";

/** Returns an HTML page whose `<body>` holds the given markup, followed by a footer. */
export function htmlWith(body: string, head = ""): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}</head>
<body><p>The harvest was good this year, and here is what we made of it.</p>
${body}
<p><a href="https://mail.acme.dev/u/abc?x=1&amp;y=2">Unsubscribe</a><br>1 High Street<br>London&nbsp;N1 1AA, UK</p>
</body></html>`;
}

export function mailWith(changes: Partial<Message> = {}): Message {
  return {
    subject: "News from the orchard",
    preheader: "Apples, pears, and a recipe",
    html: htmlWith(""),
    text: `The harvest was good this year.\n\nUnsubscribe: ${unsubscribeUrl}\n${postalAddress}\n`,
    from: { name: "Acme", email: "news@acme.dev" },
    stream: "campaign",
    unsubscribeUrl,
    postalAddress,
    transportHost: "smtp.acme.dev",
    ...changes,
  };
}

export function mailOf(body: string, head = ""): Message {
  return mailWith({ html: htmlWith(body, head) });
}
