/** Lets SpamAssassin, with its local rules, judge a mail made from each starter. It needs no corpus. */
import { spawn, spawnSync } from "node:child_process";
import type { Message } from "../src/content/checks/checks.ts";
import { composeStarter } from "../src/content/starters/starters.fixture.ts";
import { listStarters } from "../src/content/starters/starters.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";

const PROGRAM = "spamassassin";
/** A mail is spam at 5 points; a starter may have this many. */
const MOST_POINTS = 1;
/** These options switch network tests off, always add the verdict, and create no file of preferences. */
const OPTIONS = ["--local", "--test-mode", "--nocreate-prefs"];

export const starterScorer: Scorer = {
  name: "starters",
  summary: "the starter templates, by SpamAssassin",
  score: scoreStarters,
};

async function scoreStarters(): Promise<Score> {
  if (spawnSync(PROGRAM, ["--version"]).error) {
    return { figures: [], details: ["starters: left out, since there is no spamassassin here"] };
  }
  const details: string[] = [];
  const starters = listStarters();
  let good = 0;
  for (const starter of starters) {
    const { points, rules } = readVerdict(await askSpamAssassin(writeMessage(await composeStarter(starter))));
    if (points <= MOST_POINTS) good++;
    details.push(`${starter.id}: ${points} points (${rules})`);
  }
  const figure = percentFigure("starters.at_most_1_point", good, starters.length, 100);
  return { figures: [figure], details };
}

/**
 * Sums up what counts against the mail in the report. What counts for it (a List-Id takes away a whole point) is left
 * out, because it would hide faults of the same size.
 */
function readVerdict(judged: string): { points: number; rules: string } {
  const [, table] = judged.split(/^ *---- -{20,} -+\r?\n/m);
  if (table === undefined) throw new Error("SpamAssassin answered without a report");
  const rows = [...table.matchAll(/^ *(-?\d+\.\d+) ([A-Z]\w+)/gm)];
  const against = rows.reduce((sum, [, points]) => sum + Math.max(0, Number(points)), 0);
  return {
    points: Math.round(against * 10) / 10,
    rules: rows.map(([, points, rule]) => `${rule} ${points}`).join(", "),
  };
}

async function askSpamAssassin(message: string): Promise<string> {
  const child = spawn(PROGRAM, OPTIONS, { stdio: ["pipe", "pipe", "inherit"] });
  const failed = Promise.withResolvers<never>();
  child.on("error", failed.reject);
  child.stdin.on("error", failed.reject);
  child.stdin.end(message);
  return Promise.race([
    Array.fromAsync(child.stdout.setEncoding("utf8")).then((parts) => parts.join("")),
    failed.promise,
  ]);
}

/**
 * Writes the mail as it leaves, without a Received header: an invented address of the last hop would itself count
 * against it.
 */
function writeMessage(message: Message): string {
  const date = new Date().toUTCString().replace("GMT", "+0000");
  const boundary = "=_postrider_alternative";
  const headers = [
    "Return-Path: <b-2dk7q@mail.acme.dev>",
    `Date: ${date}`,
    `From: ${message.from?.name} <${message.from?.email}>`,
    "To: Ada <ada@lovelace.dev>",
    `Subject: ${encodeHeader(message.subject)}`,
    "Message-ID: <019a8e2f7c3b7d02@mail.acme.dev>",
    ...listHeaders(message),
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ];
  const parts = [
    ["text/plain", message.text ?? ""],
    ["text/html", message.html],
  ].map(
    ([type, body]) =>
      `--${boundary}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body}\n`,
  );
  return `${headers.join("\n")}\n\n${parts.join("")}--${boundary}--\n`;
}

function listHeaders({ unsubscribeUrl }: Message): string[] {
  if (unsubscribeUrl === null) return [];
  return [
    `List-Unsubscribe: <${unsubscribeUrl}>`,
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    "List-Id: News <news.mail.acme.dev>",
    "Precedence: bulk",
  ];
}

/** Encodes a subject of one line by RFC 2047 §4.1. */
function encodeHeader(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
}
