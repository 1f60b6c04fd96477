/** Sends one request on a connection and reads its answer, with a limit for every step and for the size. */
import type { AnswerHead, AnswerHeaders } from "./http-answer.ts";
import type { Connection } from "./http-connection.ts";

/** Headers that steer the connection, name the host or carry cookies can't be written here. */
type RequestHeaderName = "accept" | "authorization" | "content-type" | "user-agent" | `webhook-${string}`;

export type GuardedRequest = {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Partial<Record<RequestHeaderName, string>>>;
  readonly body?: Buffer;
  /** Plain http is refused unless this is true, or `listed` and INTERNAL_HOSTS lists the host of the URL. */
  readonly allowsHttp?: boolean | "listed";
  /** An answer of more bytes is cut off, and comes to nothing. */
  readonly mostBytes?: number;
  /** Where this is set, the answer is whole with its status: no more than `mostBytes` of its body are read, nor for longer than this. */
  readonly bodyMs?: number;
  readonly limitsMs?: Partial<LimitsMs>;
};

/** How long it may take until there is a connection, until the answer begins, and until all of it is there. */
export type LimitsMs = { readonly connect: number; readonly headers: number; readonly whole: number };

export type GuardedAnswer =
  /** Any status, also a redirect, which isn't followed. */
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly body: Buffer;
      /** The end of the host's certificate; null over plain http. */
      readonly certificateEndsAt: Date | null;
    }
  /** Nothing was sent: the URL is malformed, or leads where it mustn't. */
  | { readonly kind: "refused"; readonly why: "bad_url" | "not_https" | "has_credentials" | "internal" }
  | {
      readonly kind: "failed";
      readonly why: "unreachable" | "untrusted" | "timeout" | "too_large" | "encoded" | "broken";
      /** The system's own name of the fault; it never has an address in it. */
      readonly code: string;
    };

const DEFAULT_LIMITS_MS: LimitsMs = { connect: 5_000, headers: 10_000, whole: 20_000 };
const DEFAULT_MOST_BYTES = 1_024 * 1_024;

export function limitsOf({ limitsMs }: GuardedRequest): LimitsMs {
  return { ...DEFAULT_LIMITS_MS, ...limitsMs };
}

/** The connection was closed before anything came back, and had been used before. */
export const STALE = Symbol("stale");

/** A byte for each character, so that a body of any kind may stand behind the headers. */
export function requestText(
  path: string,
  host: string,
  { method = "GET", headers = {}, body }: GuardedRequest,
  keepsOpen: boolean,
): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n`;
  text += keepsOpen ? "connection: keep-alive\r\n" : "connection: close\r\n";
  for (const [name, value = ""] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw new Error(`the header ${name} has characters that no header may have`);
    text += `${name}: ${value}\r\n`;
  }
  return body ? `${text}content-length: ${body.length}\r\n\r\n${body.toString("latin1")}` : `${text}\r\n`;
}

/** `text` is the request as it is sent. The connection is closed unless the answer is whole and `keepsOpen` is true. */
export function exchange(
  connection: Connection,
  text: string,
  { mostBytes = DEFAULT_MOST_BYTES, bodyMs }: GuardedRequest,
  limits: LimitsMs,
  keepsOpen: boolean,
): Promise<GuardedAnswer | typeof STALE> {
  const isCut = bodyMs !== undefined;
  return new Promise((resolve) => {
    let isEnded = false;
    let head: AnswerHead | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const end = (answer: GuardedAnswer | typeof STALE, isWhole = false) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(wholeTimer);
      clearTimeout(stepTimer);
      // What is whole leaves its connection to the next request of the session.
      if (!isWhole || !keepsOpen) connection.close();
      resolve(answer);
    };
    const answered = (isWhole: boolean) => {
      if (!head) return;
      const { status, headers } = head;
      const body = Buffer.concat(chunks, Math.min(bytes, mostBytes));
      const certificateEndsAt = connection.certificateEndsAt();
      end({ kind: "answered", status, headers, body, certificateEndsAt }, isWhole);
    };
    const late = (code: string) => end({ kind: "failed", why: "timeout", code });
    /** A step that may take as long as the whole needs no timer of its own. */
    const stepWithin = (ms: number, code: string) => {
      clearTimeout(stepTimer);
      if (ms < limits.whole) stepTimer = setTimeout(late, ms, code);
    };
    const wholeTimer = setTimeout(late, limits.whole, "whole");
    let stepTimer: NodeJS.Timeout | undefined;
    stepWithin(limits.connect, "connect");

    connection.send(text, {
      sent: () => stepWithin(limits.headers, "headers"),
      head(received) {
        head = received;
        clearTimeout(stepTimer);
        if (isCut) stepTimer = setTimeout(answered, bodyMs, false);
        const { "content-length": length = 0, "content-encoding": encoding = "identity" } = received.headers;
        // Few bytes may unpack into very many, and we have asked for none that are packed.
        if ((encoding || "identity") !== "identity") {
          if (isCut) answered(false);
          else end({ kind: "failed", why: "encoded", code: "content-encoding" });
        } else if (!isCut && Number(length) > mostBytes) tooLarge();
      },
      body(some) {
        bytes += some.length;
        if (isEnded) return;
        chunks.push(Buffer.from(some));
        if (bytes <= mostBytes) return;
        if (isCut) answered(false);
        else tooLarge();
      },
      whole: () => answered(true),
      failed(error, isStale) {
        if (isStale) end(STALE);
        else if (isCut && head) answered(false);
        else end(failureOf(error));
      },
    });

    function tooLarge(): void {
      end({ kind: "failed", why: "too_large", code: "size" });
    }
  });
}

const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_\w+|ENODATA|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/;
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;

function failureOf(error: NodeJS.ErrnoException): GuardedAnswer {
  // Where several addresses were tried, each has an error of its own.
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [error];
  const code = first?.code ?? "unknown";
  if (code === "EINTERNAL") return { kind: "refused", why: "internal" };
  if (UNREACHABLE.test(code)) return { kind: "failed", why: "unreachable", code };
  return { kind: "failed", why: UNTRUSTED.test(code) ? "untrusted" : "broken", code };
}
