/** Finds SMTP reply codes, enhanced statuses, stages and addresses in what servers write. */
import type { SmtpStage } from "./vocabulary.ts";

const MAX_TEXT_UNITS = 8192;

/** A status behind a reply code is certain; elsewhere it mustn't be part of an IP address or a version. */
export function findStatus(text: string): string | null {
  const head = text.slice(0, MAX_TEXT_UNITS);
  const certain = [...head.matchAll(/(?<![\d.])[245]\d\d[ -]{1,3}#?\(?([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)/g)];
  // Exchange wraps the reply that it got: 550 5.0.350 Remote server returned an error -> 550 5.1.1 …
  const telling = certain.find(([, status = ""]) => !/^\d\.0\./.test(status)) ?? certain[0];
  const loose = /(?<![\d.\w/-])([245]\.\d\.\d{1,3})(?!\.?\d)/.exec(head);
  return telling?.[1] ?? loose?.[1] ?? null;
}

/** The second digit of a reply code is at most 5 (RFC 5321 §4.2.1). */
export function findReplyCode(text: string): number | null {
  const head = text.slice(0, MAX_TEXT_UNITS);
  const found =
    /(?<![\d.])([45][0-5]\d)[ -]{1,3}#?\(?[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(head) ??
    /(?:^|<<< |said:? |reason:? |: |error_code ?: ?|\()([45][0-5]\d)(?=[ :;,\n-]|$)/im.exec(head) ??
    /(?<![\d.,:#/=-])([45][0-5]\d)[ -](?=[a-z<"'[*])/i.exec(head);
  return found ? Number(found[1]) : null;
}

/** The first match decides, so the words of the reporting server stand before its transcript. */
const stages: readonly (readonly [SmtpStage, RegExp])[] = [
  [
    "rcpt",
    /\[rcpt_to\]|in reply to (?:the )?rcpt|(?:after|for|during|our|sending|to|following) rcpt|rcpt to response|in rcpt to\b/i,
  ],
  [
    "mail",
    /\[mail_from\]|in reply to (?:the )?mail from|(?:after|for|during|our|sending|to|following) mail from|mail from response/i,
  ],
  [
    "data",
    /\[(?:data|bodytag|body)\]|in reply to (?:the )?(?:end of )?data|(?:after|for|during|our|sending|to|final) (?:the )?(?:end of data|data\b|text command|pipelined data)|end of data|after i sent the message|data response/i,
  ],
  [
    "connect",
    /\[(?:connect|helo|ehlo|banner)\]|in reply to (?:the )?(?:he|eh)lo|after (?:initial connection|(?:he|eh)lo)|our (?:he|eh)lo|connected to .{0,80}but (?:greeting|my name)|refused to talk to me|during (?:greeting|connect)/i,
  ],
  [
    "rcpt",
    /does(?: not|n't) like recipient|rejected (?:the )?recipient|each of the following recipients was rejected/i,
  ],
  // Gmail's old reports tell the state that its client was in.
  ["rcpt", /\(state 14\)/i],
  ["data", /\(state 1[78]\)/i],
  ["mail", /does(?: not|n't) like sender|rejected mail from/i],
];

export function findStage(text: string): SmtpStage | null {
  const head = text.slice(0, MAX_TEXT_UNITS).replace(/\s+/g, " ");
  return stages.find(([, pattern]) => pattern.test(head))?.[0] ?? findTranscriptStage(text);
}

const commands: readonly (readonly [RegExp, SmtpStage])[] = [
  [/^rcpt/i, "rcpt"],
  [/^mail/i, "mail"],
  [/^(?:data|bdat|\.)/i, "data"],
  [/^(?:helo|ehlo|lhlo)/i, "connect"],
];

/** Trend Micro's arrows point the other way, behind a word. */
const isCommand = /^\s*(?:>>>|sent\s*<<<)\s*/i;
const isRefusal = /^\s*(?:<<<|received\s*>>>)\s*[45]\d\d/i;

/** sendmail and others quote the session: `>>> RCPT To:<…>` with the `<<< 550 …` below it. */
function findTranscriptStage(text: string): SmtpStage | null {
  const lines = text.slice(0, MAX_TEXT_UNITS).split("\n", 200);
  const refused = lines.findIndex((line) => isRefusal.test(line));
  if (refused < 0) return findNamedCommand(lines);
  const asked = lines.slice(0, refused).findLast((line) => isCommand.test(line));
  if (asked === undefined) return /while talking to/i.test(text) ? "connect" : null;
  const command = asked.replace(isCommand, "");
  const stage = commands.find(([pattern]) => pattern.test(command))?.[1] ?? null;
  // With pipelining (RFC 2920), the replies to RCPT arrive after DATA has been sent.
  const isPipelined = lines
    .slice(refused)
    .some((line) => /<<<.*(?:no valid recipients|need rcpt)/i.test(line));
  return stage === "data" && isPipelined ? "rcpt" : stage;
}

/** Finds a line that holds nothing but a command. */
function findNamedCommand(lines: readonly string[]): SmtpStage | null {
  const line = lines.find((one) => /^\s*(?:RCPT TO|MAIL FROM|DATA|HELO|EHLO)\b[^a-z]*$/.test(one.trim()));
  return line === undefined ? null : (commands.find(([pattern]) => pattern.test(line.trim()))?.[1] ?? null);
}

/** The source of a pattern for one address, lenient as to what may stand before the @. */
export const ADDRESS = "[^\\s<>()[\\]\",;:|@'`]{1,64}@[\\p{L}\\p{N}][\\p{L}\\p{N}.-]{0,252}";
const address = new RegExp(ADDRESS, "u");

/** Returns the first address in the text, in lower case where the case can't matter. */
export function findAddress(text: string): string | null {
  const found = address.exec(text.slice(0, MAX_TEXT_UNITS))?.[0];
  return found ? trimAddress(found) : null;
}

export function findAddresses(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [one] of text.matchAll(new RegExp(ADDRESS, "gu"))) {
    if (found.size >= most) break;
    found.add(trimAddress(one));
  }
  return [...found];
}

export function trimAddress(text: string): string {
  return text.replace(/^[*=.-]+(?=[^@]*\w)/, "").replace(/[.-]+$/, "");
}
