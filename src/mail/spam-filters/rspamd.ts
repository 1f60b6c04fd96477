/** The HTTP interface of rspamd: a mail is posted to /checkv2, and its score and symbols come back as JSON. */
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

export async function askRspamd(
  url: string,
  { mail, ip, helo, from, to }: SpamQuestion,
  { timeoutMs }: SpamLimits,
): Promise<SpamVerdict> {
  if (mail.length > MOST_ASKED_BYTES) return failed("the mail is too large to ask it");
  const facts = { ...(ip !== null && { ip }), ...(helo !== null && { helo }), from, rcpt: to };
  const headers = Object.entries(facts).filter(([, value]) => /^[\x20-\x7e]{1,500}$/.test(value));
  try {
    const response = await fetch(new URL("checkv2", url.endsWith("/") ? url : `${url}/`), {
      method: "POST",
      body: new Uint8Array(mail),
      headers: Object.fromEntries(headers),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return failed(`it answered with ${response.status}`);
    }
    const text = await readText(response);
    return text === undefined ? failed("its answer has no end") : readSymbols(text);
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return failed(isLate ? `it didn't answer within ${timeoutMs / 1_000} s` : "it can't be reached");
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function readSymbols(text: string): SpamVerdict {
  const answer = parseObject(text);
  const [score, threshold] = [answer?.["score"], answer?.["required_score"]];
  if (typeof score !== "number" || typeof threshold !== "number")
    return failed("it answered without a score");
  const symbols = Object.values(isObject(answer?.["symbols"]) ? answer["symbols"] : {});
  const rules = symbols.flatMap((one): SpamRule[] => {
    if (!isObject(one) || typeof one["name"] !== "string" || typeof one["score"] !== "number") return [];
    // A symbol without points says how the mail was read, and nothing against it.
    if (one["score"] === 0) return [];
    const description = typeof one["description"] === "string" ? one["description"] : "";
    return [
      { name: plainWords(one["name"], 80), points: one["score"], description: plainWords(description, 120) },
    ];
  });
  return judge(score, threshold, rules);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function failed(detail: string): SpamVerdict {
  return { kind: "failed", detail };
}
