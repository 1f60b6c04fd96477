/**
 * Makes our DKIM signatures in a process of its own, over multipart messages of 10 KB. Given a number of seconds, it
 * signs for so long and says how many messages it signed. Usage: dkim-process.ts KEY_FILE CONCURRENCY
 */
import { readFileSync } from "node:fs";
import { loadDkimKey, signMessage } from "../../src/mail/dkim/dkim.ts";

const [, , keyFile = "", concurrencyText = "8"] = process.argv;
const loaded = loadDkimKey({ domain: "example.org", selector: "bench", pem: readFileSync(keyFile, "utf8") });
if (!loaded.ok) throw new Error(loaded.detail);
const keys = [loaded.key];
const messages = Array.from({ length: 64 }, (_, number) => makeMessage(number));
let signed = 0;

process.on("message", async (seconds) => {
  const startedMs = performance.now();
  const untilMs = startedMs + Number(seconds) * 1_000;
  const counts = await Promise.all(
    Array.from({ length: Number(concurrencyText) }, () => keepSigning(untilMs)),
  );
  const units = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ units, seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");

async function keepSigning(untilMs: number): Promise<number> {
  let count = 0;
  while (performance.now() < untilMs) {
    const message = messages[++signed % messages.length] as Buffer;
    const result = await signMessage(message, keys, { now: new Date() });
    if (!result.ok) throw new Error(result.detail);
    count++;
  }
  return count;
}

/**
 * Makes a message like a newsletter: indented HTML in quoted-printable, whose blanks relaxed canonicalisation must
 * reduce.
 */
function makeMessage(number: number): Buffer {
  const boundary = `=_part_${number}`;
  const head = [
    "From: Example <news@example.org>",
    `To: subscriber${number}@example.net`,
    "Reply-To: hello@example.org",
    `Subject: =?utf-8?Q?News_of_the_week=2C_issue_${number}?=`,
    "Date: Sun, 01 Mar 2026 12:00:00 +0000",
    `Message-ID: <${number}.01jnb2m3k4@example.org>`,
    "MIME-Version: 1.0",
    `List-Unsubscribe: <https://example.org/unsubscribe/${number}>,`,
    ` <mailto:unsubscribe+${number}@example.org>`,
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    "List-Id: News <news.example.org>",
    `Content-Type: multipart/alternative;\r\n boundary="${boundary}"`,
  ];
  const text = "A line of the letter, as long as lines in a letter usually are, =E2=80=94.\r\n".repeat(35);
  const row =
    '        <td style=3D"padding: 0 24px; color: #333">\r\n' +
    `          A cell with its text and a link, <a href=3D"https://example.org/c/${number}">=\r\n` +
    "read more</a>\r\n        </td>\r\n";
  const part = (type: string, content: string) =>
    `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n` +
    `Content-Transfer-Encoding: quoted-printable\r\n\r\n${content}\r\n`;
  const body = `${part("text/plain", text)}${part("text/html", row.repeat(40))}--${boundary}--\r\n`;
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
