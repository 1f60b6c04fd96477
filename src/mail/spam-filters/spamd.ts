/** The protocol of spamd: a command with a length, the mail, and an answer of header lines and a report. */
import { connect } from "node:net";
import {
  judge,
  MOST_ANSWER_BYTES,
  MOST_ASKED_BYTES,
  plainWords,
  type SpamLimits,
  type SpamQuestion,
  type SpamRule,
  type SpamVerdict,
} from "./verdict.ts";

export type SpamdPlace = { readonly host: string; readonly port: number };

export async function askSpamd(
  place: SpamdPlace,
  { mail }: Pick<SpamQuestion, "mail">,
  limits: SpamLimits,
): Promise<SpamVerdict> {
  if (mail.length > MOST_ASKED_BYTES) return failed("the mail is too large to ask it");
  const answer = await exchange(place, mail, limits);
  return typeof answer === "string" ? failed(answer) : readAnswer(answer.toString("utf8"));
}

/** Returns the whole answer, or says why there is none. */
function exchange(place: SpamdPlace, mail: Buffer, { timeoutMs }: SpamLimits): Promise<Buffer | string> {
  const { promise, resolve } = Promise.withResolvers<Buffer | string>();
  const socket = connect(place);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (result: Buffer | string) => {
    clearTimeout(timer);
    socket.destroy();
    resolve(result);
  };
  const timer = setTimeout(() => end(`it didn't answer within ${timeoutMs / 1_000} s`), timeoutMs);
  socket.on("error", ({ code }: NodeJS.ErrnoException) =>
    end(`it can't be reached (${code ?? "no reason given"})`),
  );
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) end("its answer has no end");
  });
  socket.on("end", () => end(Buffer.concat(chunks)));
  socket.on("close", () => end("it ended the connection without an answer"));
  socket.write(`REPORT SPAMC/1.5\r\nContent-length: ${mail.length}\r\n\r\n`);
  socket.end(mail);
  return promise;
}

const NUMBER = String.raw`-?\d{1,6}(?:\.\d{1,6})?`;
const SPAM = new RegExp(`^Spam:\\s*(True|Yes|False|No)\\s*;\\s*(${NUMBER})\\s*/\\s*(${NUMBER})\\s*$`, "im");
/** A line of the report's table: points, a rule, and the beginning of its description. */
const RULE = new RegExp(`^[ \\t*]*(${NUMBER})[ \\t]+([A-Z][A-Z0-9_]{1,79})[ \\t]+(.{1,300})$`, "gm");

export function readAnswer(answer: string): SpamVerdict {
  const [, code = "", status = ""] = /^SPAMD\/[\d.]{1,8} (\d{1,3}) ([A-Z_]{1,20})/.exec(answer) ?? [];
  if (code === "") return failed("what answered isn't spamd");
  if (code !== "0") return failed(`it refused the mail: ${status}`);
  const end = /\r?\n\r?\n/.exec(answer)?.index ?? answer.length;
  const [, word = "", score = "", threshold = ""] = SPAM.exec(answer.slice(0, end)) ?? [];
  if (word === "") return failed("it answered without a score");
  const isSpam = /^(true|yes)$/i.test(word);
  if (isSpam !== Number(score) >= Number(threshold)) return failed("its answer contradicts itself");
  const rules: SpamRule[] = [];
  for (const [, points = "", name = "", words = ""] of answer.slice(end).matchAll(RULE))
    rules.push({ name, points: Number(points), description: plainWords(words, 120) });
  return judge(Number(score), Number(threshold), rules);
}

function failed(detail: string): SpamVerdict {
  return { kind: "failed", detail };
}
