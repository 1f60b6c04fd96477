/** A small SMTP client on many connections, which sends the whole of a mail at once where PIPELINING lets it. */
import { connect } from "node:net";
import type { Work } from "../harness/meter.ts";

export type SmtpLoad = {
  readonly port: number;
  readonly connections: number;
  /** Whoever has none doesn't log in. */
  readonly key?: string;
  /** Makes the mail with a number, which has no dot at the beginning of a line; a receipt where it is absent. */
  readonly mailOf?: (n: number) => LoadMail;
};

type LoadMail = { readonly from: string; readonly to: string; readonly content: string };

/** A text of 2 KB and HTML of 8. */
const BODY = [
  "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=half\r\n\r\n",
  "--half\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n",
  "Thank you for your order of 2026.\r\n".repeat(57),
  "--half\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
  "<p>Thank you for your order of 2026=2E</p>=\r\n".repeat(173),
  "\r\n--half--\r\n",
].join("");

/** Starts no mail after `seconds`, and waits for those under way. */
export async function runSmtpLoad(load: SmtpLoad, seconds: number): Promise<Work> {
  const sessions = await Promise.all(Array.from({ length: load.connections }, () => openSession(load)));
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  const mailOf = load.mailOf ?? receiptOf;
  const counts = await Promise.all(sessions.map((session) => keepSending(session, mailOf, untilMs)));
  const units = counts.reduce((sum, count) => sum + count, 0);
  const work = { units, seconds: (performance.now() - startedMs) / 1_000 };
  for (const { end } of sessions) end();
  return work;
}

type Session = { ask(text: string, replies: number): Promise<string>; end(): void };

let sent = 0;

function receiptOf(n: number): LoadMail {
  const to = `person${n % 10_000}@example.com`;
  const content = `Message-ID: <${process.pid}.${n}@acme.example>\r\nFrom: Acme <billing@acme.example>\r\nTo: ${to}\r\nSubject: Your receipt\r\n${BODY}`;
  return { from: "billing@acme.example", to, content };
}

async function keepSending(
  { ask }: Session,
  mailOf: (n: number) => LoadMail,
  untilMs: number,
): Promise<number> {
  let count = 0;
  while (performance.now() < untilMs) {
    const { from, to, content } = mailOf(++sent);
    const begun = await ask(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 3);
    if (!begun.includes("354 ")) throw new Error(begun);
    const said = await ask(`${content}.\r\n`, 1);
    if (!said.startsWith("250 ")) throw new Error(said);
    count++;
  }
  return count;
}

async function openSession({ port, key }: SmtpLoad): Promise<Session> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let received = "";
  let wanted = 0;
  let settle: { resolve(text: string): void; reject(error: Error): void } | undefined;
  const look = () => {
    const found = received.match(/^\d{3} [^\n]*\n/gm)?.length ?? 0;
    if (found < wanted || !settle) return;
    const text = received;
    received = "";
    settle.resolve(text);
  };
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
    look();
  });
  socket.on("error", (error) => settle?.reject(error));
  socket.on("close", () => settle?.reject(new Error(`the server closed a connection: ${received}`)));
  const ask = (text: string, replies: number) =>
    new Promise<string>((resolve, reject) => {
      [wanted, settle] = [replies, { resolve, reject }];
      if (text !== "") socket.write(text, "latin1");
      look();
    });
  await ask("", 1);
  await ask("EHLO bench.example\r\n", 1);
  if (key === undefined) return { ask, end: () => void socket.destroy() };
  const said = await ask(`AUTH PLAIN ${Buffer.from(`\0apikey\0${key}`).toString("base64")}\r\n`, 1);
  if (!said.startsWith("235")) throw new Error(said);
  return { ask, end: () => void socket.destroy() };
}
