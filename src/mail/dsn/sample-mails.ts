/** Mails for the tests of this folder, made up: no text of them was ever sent. */

type BounceParts = {
  readonly from?: string;
  readonly subject?: string;
  /** Further header lines, each with its line end. */
  readonly headers?: string;
  readonly type?: string;
  /** The mail that it returns, as a part of its own. */
  readonly returned?: string;
};

/** A bounce in plain words, from a mail server by default. */
export function bounce(text: string, parts: BounceParts = {}): Buffer {
  const head = `From: ${parts.from ?? "Mail Delivery System <MAILER-DAEMON@mx.example>"}
To: b+tok1@news.example
Subject: ${parts.subject ?? "Undelivered Mail Returned to Sender"}
${parts.headers ?? ""}`;
  if (parts.returned === undefined)
    return Buffer.from(`${head}Content-Type: ${parts.type ?? "text/plain"}\n\n${text}`);
  return Buffer.from(`${head}Content-Type: multipart/mixed; boundary=outer

--outer

${text}
--outer
Content-Type: message/rfc822

${parts.returned}
--outer--
`);
}

/** A standard report, with a group of fields for each recipient. */
export function report(...args: readonly ({ readonly text: string } | string)[]): Buffer {
  const text = args.find((arg) => typeof arg !== "string")?.text ?? "Your message was not delivered.";
  const groups = args.filter((arg) => typeof arg === "string");
  return Buffer.from(`From: MAILER-DAEMON@mx.example
To: b+tok1@news.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=edge

--edge

${text}
--edge
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

${groups.join("\n\n")}

--edge
Content-Type: text/rfc822-headers

From: News <news@news.example>
To: ada@example.org
Message-ID: <sent-1@news.example>
X-Delivery: tok2 more
--edge--
`);
}
