const MAIL_BYTES = 100 * 1_024;

/** Returns 100 KB of the sections of a usual newsletter, one after another. */
export function longMail(kind: "html" | "mjml"): string {
  const { before, section, after } = kind === "mjml" ? MJML : HTML;
  const sections: string[] = [];
  let length = before.length + after.length;
  for (let n = 1; length < MAIL_BYTES; n++) {
    const made = section(n);
    length += made.length;
    sections.push(made);
  }
  return before + sections.join("") + after;
}

const MJML = {
  before: "<mjml>\n<mj-body>\n",
  section: (n: number) =>
    `<mj-section background-color="#ffffff" padding="0 8px">\n  <mj-column>\n    <mj-text font-size="19px">Story ${n}</mj-text>\n` +
    `    <mj-text>Hello {{ first_name | default: "there" }}, two or three lines are enough to say what is new.</mj-text>\n` +
    `    <mj-button href="https://example.com/${n}">Read on</mj-button>\n  </mj-column>\n</mj-section>\n`,
  after: "</mj-body>\n</mjml>\n",
};

const HTML = {
  before:
    '<!doctype html>\n<html lang="en">\n<head><title>News</title><style>p { margin: 0 }</style></head>\n<body>\n',
  section: (n: number) =>
    `<table role="presentation" width="100%" style="max-width:600px; margin:0 auto;">\n  <tr>\n    <td style="padding:24px 8px;">\n` +
    `      <h2 style="font-size:17px; line-height:24px; color:#1f2933;">Story ${n}</h2>\n` +
    `      <p style="color:#1f2933;">Hello {{ first_name | default: "there" }}, two or three lines are enough to say what is new.</p>\n` +
    `      <a href="https://example.com/${n}" style="color:#1d4fc4;">Read on</a>\n    </td>\n  </tr>\n</table>\n`,
  after: "</body>\n</html>\n",
};
