/**
 * Runs our SMTP client against servers that aren't ours: each outcome must be the right one, and each message arrive
 * exactly once.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSmtpPool, type OutcomeKind, type Phase, parseSmtpUrl } from "../src/mail/smtp/smtp.ts";
import { type Figure, percentFigure, type Score, type Scorer } from "./figures.ts";
import {
  findMailServers,
  type MailServer,
  startExim,
  startPostfix,
  startSink,
} from "./servers/mail-servers.ts";
import { POSTFIX } from "./servers/postfix.ts";
import type { Programs } from "./servers/processes.ts";

export const smtpScorer: Scorer = {
  name: "smtp",
  summary: "what becomes of messages at smtp-sink, Postfix and Exim",
  score: scoreSmtp,
};

const envelope = { from: "from@example.org", to: ["inbox@example.test"] };
const header =
  "From: from@example.org\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n\r\n";

async function scoreSmtp(): Promise<Score> {
  const folder = mkdtempSync(join(tmpdir(), "score-smtp-"));
  const details: string[] = [];
  const figures: Figure[] = [];
  try {
    const programs = findMailServers(folder);
    if (programs.has("usr/sbin/smtp-sink")) figures.push(await scoreOutcomes(programs, details));
    else details.push("smtp-sink isn't here: left out");
    for (const [name, path, start] of receivers) {
      if (!programs.has(path)) details.push(`${name} isn't here: left out`);
      else if (process.getuid?.() !== 0) details.push(`${name} can be started by root only: left out`);
      else figures.push(await scoreReceiver(name, start, programs, join(folder, name), details));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { figures, details };
}

const receivers = [
  ["postfix", POSTFIX, startPostfix],
  ["exim", "usr/sbin/exim4", startExim],
] as const;

/**
 * Flags of smtp-sink: -q hangs up at a command, -r refuses it temporarily, -f permanently. With -p there is no
 * PIPELINING.
 */
const outcomes: readonly (readonly [flag: string, command: string, kind: OutcomeKind, phase: Phase])[] = [
  ["-q", "connect", "unreachable", "greeting"],
  ["-q", "ehlo", "unreachable", "ehlo"],
  ["-q", "mail", "unreachable", "mail"],
  ["-q", "rcpt", "unreachable", "rcpt"],
  ["-q", "data", "unreachable", "data"],
  ["-q", ".", "ambiguous", "dot"],
  ["-q", "quit", "accepted", "dot"],
  ["-r", "connect", "deferred", "greeting"],
  ["-r", "ehlo", "deferred", "ehlo"],
  ["-r", "mail", "deferred", "mail"],
  ["-r", "rcpt", "deferred", "rcpt"],
  ["-r", "data", "deferred", "data"],
  ["-r", ".", "deferred", "dot"],
  ["-f", "connect", "rejected", "greeting"],
  ["-f", "ehlo", "accepted", "dot"], // The client falls back to HELO.
  ["-f", "ehlo,helo", "rejected", "ehlo"],
  ["-f", "mail", "rejected", "mail"],
  ["-f", "rcpt", "rejected", "rcpt"],
  ["-f", "data", "rejected", "data"],
  ["-f", ".", "rejected", "dot"],
  ["-f", "quit,rset,noop", "accepted", "dot"],
];

async function scoreOutcomes(programs: Programs, details: string[]): Promise<Figure> {
  let right = 0;
  for (const pipelining of [[], ["-p"]]) {
    for (const [flag, command, kind, phase] of outcomes) {
      const server = await startSink(programs, [...pipelining, flag, command]);
      const pool = createSmtpPool({ host: "127.0.0.1", port: server.port });
      const outcome = await pool.send({ envelope, body: Buffer.from(`${header}Hello.\r\n`) });
      await pool.drain();
      await server.stop();
      if (outcome.kind === kind && outcome.phase === phase) right++;
      else {
        const flags = [...pipelining, flag, command].join(" ");
        details.push(`smtp-sink ${flags}: ${outcome.kind} at ${outcome.phase}, not ${kind} at ${phase}`);
      }
    }
  }
  return percentFigure("smtp.outcomes", right, outcomes.length * 2, 100);
}

/** Some servers take these for the end of a message, though RFC 5321 §4.1.1.4 knows only one. */
const endings = [
  "\n.\n",
  "\n.\r\n",
  "\r\n.\n",
  "\r.\r",
  "\r.\r\n",
  "\r\n.\r",
  "\r\r\n.\r\r\n",
  "\r\n.\r\n",
  "\r\n..\r\n",
];
const smuggled =
  "MAIL FROM:<evil@example.org>\r\nRCPT TO:<inbox@example.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nI am in.";

async function scoreReceiver(
  name: string,
  start: (programs: Programs, folder: string) => Promise<MailServer>,
  programs: Programs,
  folder: string,
  details: string[],
): Promise<Figure> {
  mkdirSync(folder);
  const server = await start(programs, folder);
  try {
    const faults = [...(await sendAll(server, false, 200)), ...(await sendAll(server, true, 200))];
    const sent = [...bodiesToSend("one", 200), ...bodiesToSend("two", 200)].map(toLineFeeds).sort();
    const arrived = (await server.bodies(sent.length)).sort();
    const missing = without(sent, arrived);
    const surplus = without(arrived, sent);
    details.push(
      `${name}: ${sent.length} messages sent, ${arrived.length} arrived`,
      ...faults.map((why) => `${name}: ${why}`),
    );
    for (const body of [...missing, ...surplus].slice(0, 5)) {
      details.push(`${name}: differs: ${JSON.stringify(body.slice(0, 100))}`);
    }
    const wrong = missing.length + surplus.length + faults.length;
    return percentFigure(`smtp.${name}_exactly_once`, Math.max(0, sent.length - wrong), sent.length, 100);
  } finally {
    await server.stop();
  }
}

/**
 * Returns a fault for each message that can be sent and isn't accepted, and for each that would smuggle and isn't
 * refused by us.
 */
async function sendAll({ port }: MailServer, lookAhead: boolean, count: number): Promise<string[]> {
  const pool = createSmtpPool({ ...parseSmtpUrl(`smtp://127.0.0.1:${port}?connections=4`), lookAhead });
  const faults: string[] = [];
  const send = (body: string) =>
    pool.send({
      envelope: { ...envelope, is8bit: true },
      beforeBody: async () => Buffer.from(header + body, "latin1"),
    });
  await Promise.all(
    bodiesToSend(lookAhead ? "two" : "one", count).map(async (body) => {
      const outcome = await send(body);
      if (outcome.kind !== "accepted") faults.push(`${outcome.kind} at ${outcome.phase}: ${outcome.text}`);
    }),
  );
  for (const ending of endings.filter((one) => /(?<!\r)\n|\r(?!\n)/.test(one))) {
    const outcome = await send(`before${ending}${smuggled}${ending}`).catch((error: unknown) => error);
    if (!(outcome instanceof TypeError)) faults.push(`sent ${JSON.stringify(ending)}`);
  }
  await pool.drain();
  return faults;
}

/** Returns the same bodies at each call: random lines of dots, blanks, letters and octets above 127, and false ends. */
function bodiesToSend(mark: string, count: number): string[] {
  let seed = 1;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const units = [".", "..", " ", "\t", "x", "=", "From ", "\xe9", "\xff", "QUIT", "-"];
  const line = () => Array.from({ length: next(30) }, () => units[next(units.length)]).join("");
  const random = Array.from({ length: count }, (_, index) => {
    const lines = Array.from({ length: next(index % 10 === 0 ? 4_000 : 40) }, line);
    return `${mark} ${index}\r\n${lines.map((text) => `${text}\r\n`).join("")}`;
  });
  const clean = endings.map((ending) => ending.replace(/\r+\n?|\n/g, "\r\n"));
  const tricks = clean.map((ending, index) => `${mark} trick ${index}${ending}${smuggled}${ending}`);
  return [...random, ...tricks];
}

function toLineFeeds(body: string): string {
  return body.replaceAll("\r\n", "\n");
}

/** Compares as lists, so that a message which came twice counts. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return list.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
