/** Reads bounces that are written for people: which recipients the text names, and what it says about each. */
import { makeSet } from "./phrases/phrase-set.ts";
import { ADDRESS, trimAddress } from "./replies.ts";

export type NamedRecipient = {
  readonly address: string;
  readonly text: string;
  /** The text above the first recipient: a reason there holds for all of them. */
  readonly intro: string;
};

const MAX_LINES = 5000;
const MAX_LINE_UNITS = 1000;
const MAX_HEADING_UNITS = 400;
const MAX_BLOCK_UNITS = 8192;

/** Signs that frame a heading; they are bounded, and no letters of another script. */
const SIGNS = "[\\s*=>_#|:;.()<-]{0,60}";

/** The returned mail begins after such a line. */
const originalBegins = makeSet(
  [
    `^${SIGNS}(?:(?:below|enclosed|included|attached|following|this|here|what follows)\\b.{0,40})?\\b(?:is|are|was)\\b.{0,40}\\b(?:copy|header|headers|content)\\b.{0,30}\\b(?:message|mail|header)`,
    `^${SIGNS}(?:the )?(?:headers? of the )?(?:original|returned|unsent|undelivered|rejected|failed|forwarded)[ -](?:message|mail|e-mail)(?: text| headers?| header)?(?: is)?(?: follows| following| below| attached)?${SIGNS}$`,
    `^${SIGNS}(?:the )?(?:message|mail|original) (?:headers?|text|body|message) follows?`,
    `^${SIGNS}(?:the )?header of the original message`,
    `^${SIGNS}(?:unsent|original|returned) message (?:follows|below|header)`,
    "^-{2,} ?(?:original|returned|unsent|copy|message header|header|forwarded)",
    `^${SIGNS}-{3,}\\W*(?:.{0,20}original.{0,20})${SIGNS}-{3,}`,
    "^[\\s*=>_-]*(?:ursprüngliche|originale?) (?:nachricht|e-?mail)[\\s*=:_-]*$",
    "^[\\s*=>_-]*message (?:d'origine|original|initial)[\\s*=:_-]*$",
    "^[\\s*=>_-]*(?:mensaje|mensagem) (?:original|devuelto|devolvida)[\\s*=:_-]*$",
    "^[\\s*=>_-]*(?:原始邮件|原始郵件|原邮件|原信内容|原始信件)[\\s*=:：_-]*$",
    "^[\\s*=>_-]*(?:元のメッセージ|元のメール|オリジナルメッセージ|送信したメール|返送されたメール)[\\s*=:：_-]*$",
    "^(?:return-path|received):? ?(?:<|from |by |\\()",
    "^(?:dkim-signature|x-received|arc-seal|x-google-smtp-source|authentication-results) ?:",
  ],
  "i",
);

/** Splits a text into the report and the beginning of the mail that it returns. */
export function cutOriginal(text: string): { readonly report: string; readonly original: string } {
  const lines = text.split("\n", MAX_LINES);
  const cut = lines.findIndex((line) => line.length < MAX_HEADING_UNITS && originalBegins.test(line));
  if (cut < 0) return { report: lines.join("\n"), original: "" };
  const isHeader = /^[\w-]+ ?:/.test(lines[cut] ?? "");
  const original = lines.slice(isHeader ? cut : cut + 1).join("\n");
  return { report: lines.slice(0, cut).join("\n"), original: original.replace(/^[\s*=-]+/, "") };
}

/** An address at the start of its line stands alone, in brackets or quotes, or behind a word that says what it is. */
const heads = makeSet(
  [
    `^[\\s<"'*>-]{0,30}(${ADDRESS})(?=$|[>"':\\s[(<])`,
    ...[
      "recipients?(?: address)?",
      "rcpt to",
      "addressed to",
      "address",
      "unknown user",
      "invalid recipient",
      "undeliverable to",
      "user mailbox exceeds allowed size",
      "user",
      "mailbox",
      "to the following recipient",
      "失敗した宛先",
      "宛先",
      "あて先",
      "送信先",
      "受信者(?:アドレス)?",
      "empf(?:ä|ae)nger(?:adresse)?",
      "destinataires?",
      "destinat[aá]ri[oa]s?",
      "收件人(?:地址)?",
      "收件者",
      "無法傳遞到",
      "无法(?:投递|发送|送达)(?:到|至)",
      "e-?mail(?: address)?",
      "failed recipients?",
      "undelivered(?: to)?",
    ].map((word) => `^\\s{0,30}${word}\\s?[:：]?\\s{0,4}[<"']?(${ADDRESS})`),
  ],
  "iu",
);
/** A line such as `550 5.1.1 <ada@example.org>... User unknown` stands below the lines that belong to it. */
const transcriptTail = new RegExp(`^[45]\\d\\d[ -](?:[45]\\.\\d\\.\\d{1,3} )?<(${ADDRESS})>\\.\\.\\. `, "u");
/** Header fields quoted in the text name the sender and others. */
const quotedField = /^\s*(?:from|to|cc|bcc|reply-to|sender|message-id|subject|date|sent|in-reply-to) ?:/i;
const insideSentence = new RegExp(
  `(?:^|[\\s(])(?:to|for|by|recipient|address|of|list|an|für|à|a|al|ao|para|pour)\\b:? {1,2}(?:the following )?(?:group |user |recipients? |address )?[<"'(]?(${ADDRESS})`,
  "iu",
);

/** Returns at most `most` named recipients in order, each with what is written about it. */
export function findNamed(report: string, not: ReadonlySet<string>, most: number): NamedRecipient[] {
  const lines = report.split("\n", MAX_LINES).map((line) => line.slice(0, MAX_LINE_UNITS));
  const blocks = collectBlocks(lines, not, most, (line) => matchHead(line));
  if (blocks.length > 0) return blocks;
  const tails = collectTails(lines, not, most);
  if (tails.length > 0) return tails;
  return collectBlocks(lines, not, most, (line) =>
    line.includes("@") ? (insideSentence.exec(line)?.[1] ?? null) : null,
  );
}

function matchHead(line: string): string | null {
  return !line.includes("@") || quotedField.test(line) ? null : heads.capture(line);
}

function collectBlocks(
  lines: readonly string[],
  not: ReadonlySet<string>,
  most: number,
  match: (line: string) => string | null,
): NamedRecipient[] {
  const texts = new Map<string, string>();
  let intro = "";
  let address = "";
  for (const line of lines) {
    const found = match(line);
    const named = found === null ? "" : trimAddress(found);
    if (named !== "" && !not.has(named.toLowerCase()) && (texts.has(named) || texts.size < most)) {
      address = named;
      if (!texts.has(named)) texts.set(named, "");
    }
    if (address === "") intro = appendLine(intro, line);
    else texts.set(address, appendLine(texts.get(address) ?? "", line));
  }
  return [...texts].map(([named, text]) => ({
    address: named,
    // Where nothing is said below the address, the reason stands above it.
    text: saysNothing(text, named) ? `${text}\n${intro}` : text,
    intro,
  }));
}

/** In a transcript without a report, the line that names the recipient closes what was said about it. */
function collectTails(lines: readonly string[], not: ReadonlySet<string>, most: number): NamedRecipient[] {
  const texts = new Map<string, string>();
  let pending = "";
  for (const line of lines) {
    pending = /^\W*while talking to/i.test(line) ? line + "\n" : appendLine(pending, line);
    const named = trimAddress(transcriptTail.exec(line)?.[1] ?? "");
    if (named === "" || not.has(named.toLowerCase())) continue;
    if (texts.has(named) || texts.size < most) texts.set(named, appendLine(texts.get(named) ?? "", pending));
    pending = "";
  }
  return [...texts].map(([address, text]) => ({ address, text, intro: "" }));
}

function saysNothing(text: string, address: string): boolean {
  return (
    text
      .replaceAll(address, "")
      .replace(/mailto:/g, "")
      .replace(/[\W_]+/g, "").length < 4
  );
}

function appendLine(text: string, line: string): string {
  return text.length + line.length > MAX_BLOCK_UNITS ? text : `${text}${line}\n`;
}
