/** Finds SMTP reply codes, enhanced statuses, stages and addresses in what servers write. */
import { makeSet, type PhraseSet } from "./phrases/phrase-set.ts";
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
const stages: readonly (readonly [SmtpStage, PhraseSet])[] = [
  ["rcpt", stagePhrases("rcpt(?: to)?(?: command)?", "\\[rcpt_to\\]", "in rcpt to\\b", "rcpt to response")],
  ["mail", stagePhrases("mail from", "\\[mail_from\\]", "mail from response")],
  [
    "data",
    stagePhrases(
      "(?:the )?(?:end of data|data\\b|text command|pipelined data|message body|message text|\\(?dot\\)?\\b)",
      "\\[(?:data|bodytag|body)\\]",
      "end of data",
      "after i sent the message",
      "data response",
      "final data",
    ),
  ],
  [
    "connect",
    stagePhrases(
      "(?:he|eh)lo",
      "\\[(?:connect|helo|ehlo|banner)\\]",
      "after (?:the )?initial (?:connection|connect)",
      "connected to .{0,80}but (?:greeting|my name)",
      "refused to talk to me",
      "during (?:greeting|connect)",
    ),
  ],
  [
    "rcpt",
    makeSet(
      [
        "does(?: not|n't) like recipient",
        "rejected (?:the |your )?recipient",
        "each of the following recipients was rejected",
      ],
      "i",
    ),
  ],
  // Gmail's old reports tell the state that its client was in.
  ["rcpt", makeSet(["\\(state 14\\)"], "i")],
  ["data", makeSet(["\\(state 1[78]\\)"], "i")],
  ["mail", makeSet(["does(?: not|n't) like sender", "rejected mail from"], "i")],
];

/** The reporting server says to which command the other one answered. */
function stagePhrases(command: string, ...others: readonly string[]): PhraseSet {
  const behind = [
    "in reply to",
    "in response to",
    "response to",
    "after",
    "for",
    "during",
    "our",
    "sending",
    "to",
    "following",
    "at",
  ].map((word) => `\\b${word} (?:the )?(?:smtp )?${command}`);
  return makeSet([...behind, ...others], "i");
}

export function findStage(text: string): SmtpStage | null {
  const head = text.slice(0, MAX_TEXT_UNITS).replace(/\s+/g, " ");
  const told = stages.find(([, pattern]) => pattern.test(head))?.[0];
  return told ?? findTranscriptStage(text) ?? findOnlyCommand(head);
}

/** Where one command alone is named in capitals (RFC 5321 §4.1), in whatever sentence or bracket, that one was refused. */
function findOnlyCommand(head: string): SmtpStage | null {
  const named = new Set<SmtpStage>();
  for (const [, command = ""] of head.matchAll(/\b(RCPT[ _]TO|MAIL[ _]FROM|EHLO|HELO)\b(?! ?[:=])/g))
    named.add(command.startsWith("R") ? "rcpt" : command.startsWith("M") ? "mail" : "connect");
  return named.size === 1 ? ([...named][0] ?? null) : null;
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
export const ADDRESS =
  "[^\\s<>()[\\]\",;:|@'`：；，。、（）「」【】《》]{1,64}@[\\p{L}\\p{N}][\\p{L}\\p{N}.-]{0,252}";
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
