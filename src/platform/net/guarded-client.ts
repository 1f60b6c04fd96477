/**
 * Fetches URLs that a user or the world chose. It reaches nothing internal that isn't listed, follows no redirect, keeps
 * nothing between two requests, and every step has a limit. What went wrong is a value, never an exception.
 */
import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import { createEgressFilter, type EgressFilter, type ResolveName } from "./egress-filter.ts";

export type GuardedClientOptions = {
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
  /** Is the system's own resolver unless it is given. */
  readonly resolve?: ResolveName;
  /** The authorities whose certificates are believed, in place of those that Node knows. */
  readonly authorities?: readonly string[];
};

/** Headers that steer the connection, name the host or carry cookies can't be written here. */
type RequestHeaderName = "accept" | "content-type" | "user-agent" | `webhook-${string}`;

type GuardedRequest = {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Partial<Record<RequestHeaderName, string>>>;
  readonly body?: Buffer;
  /** Plain http is refused unless this is set. */
  readonly allowsHttp?: boolean;
  /** An answer of more bytes is cut off, and comes to nothing. */
  readonly mostBytes?: number;
  readonly limitsMs?: Partial<LimitsMs>;
};

/** How long it may take until there is a connection, until the answer begins, and until all of it is there. */
type LimitsMs = { readonly connect: number; readonly headers: number; readonly whole: number };

export type GuardedAnswer =
  /** Any status, also a redirect, which isn't followed. */
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
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

export type GuardedClient = { fetch(url: string, request?: GuardedRequest): Promise<GuardedAnswer> };

const DEFAULT_LIMITS_MS: LimitsMs = { connect: 5_000, headers: 10_000, whole: 20_000 };
const DEFAULT_MOST_BYTES = 1_024 * 1_024;
const MOST_HEADER_BYTES = 16 * 1_024;
const LONGEST_URL = 4_096;

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const filter = createEgressFilter(options.internalHosts, options.resolve);
  return {
    async fetch(text, request = {}) {
      const url = readUrl(text, filter, request.allowsHttp ?? false);
      return "kind" in url ? url : exchange(url, request, filter, options.authorities);
    },
  };
}

/**
 * `URL` writes an address in its usual form, whether it was given in decimal, octal, hexadecimal or shortened, and refuses one
 * with a zone; so what is judged here is what is connected to.
 */
function readUrl(text: string, filter: EgressFilter, allowsHttp: boolean): URL | GuardedAnswer {
  // `URL` removes line breaks and tabs, so that two readers of the same text could see two URLs.
  const url = text.length > LONGEST_URL || /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text);
  if (!url || url.hostname === "") return { kind: "refused", why: "bad_url" };
  if (url.protocol !== "https:" && !(allowsHttp && url.protocol === "http:"))
    return { kind: "refused", why: "not_https" };
  if (url.username !== "" || url.password !== "") return { kind: "refused", why: "has_credentials" };
  if (filter.refusesAddress(bareHost(url))) return { kind: "refused", why: "internal" };
  return url;
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function exchange(
  url: URL,
  { method = "GET", headers = {}, body, mostBytes = DEFAULT_MOST_BYTES, limitsMs }: GuardedRequest,
  filter: EgressFilter,
  authorities: readonly string[] | undefined,
): Promise<GuardedAnswer> {
  const limits = { ...DEFAULT_LIMITS_MS, ...limitsMs };
  const isSecure = url.protocol === "https:";
  const host = bareHost(url);
  return new Promise((resolve) => {
    const timers = new Set<NodeJS.Timeout>();
    const sent = (isSecure ? requestHttps : requestHttp)({
      method,
      hostname: host,
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      // A connection of its own: none that another request left open, and none by a proxy that leads elsewhere.
      agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false }),
      lookup: filter.lookup,
      maxHeaderSize: MOST_HEADER_BYTES,
      headers: {
        ...headers,
        host: url.host,
        "accept-encoding": "identity",
        connection: "close",
        ...(body && { "content-length": String(body.length) }),
      },
      ...(isSecure && {
        // It is said here, because a variable of the environment can switch the default off.
        rejectUnauthorized: true,
        servername: isIP(host) === 0 ? host : "",
        ...(authorities && { ca: [...authorities] }),
      }),
    });
    const end = (answer: GuardedAnswer) => {
      for (const timer of timers) clearTimeout(timer);
      sent.destroy();
      resolve(answer);
    };
    const limit = (ms: number, code: string) => {
      const timer = setTimeout(() => end({ kind: "failed", why: "timeout", code }), ms);
      timers.add(timer);
      return () => clearTimeout(timer);
    };
    limit(limits.whole, "whole");
    const connected = limit(limits.connect, "connect");
    let answering: (() => void) | undefined;
    sent.on("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        connected();
        answering = limit(limits.headers, "headers");
      });
    });
    sent.on("error", (error: NodeJS.ErrnoException) => end(failureOf(error)));
    // Another protocol is none of what was asked for.
    sent.on("upgrade", () => end({ kind: "failed", why: "broken", code: "upgrade" }));
    sent.on("response", (answer) => {
      answering?.();
      readAnswer(answer, mostBytes, end);
    });
    sent.end(body);
  });
}

function certificateEnd({ socket }: IncomingMessage): Date | null {
  if (!(socket instanceof TLSSocket)) return null;
  const end = new Date(socket.getPeerCertificate().valid_to ?? "");
  return Number.isNaN(end.getTime()) ? null : end;
}

function readAnswer(answer: IncomingMessage, mostBytes: number, end: (answer: GuardedAnswer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = Number(answer.headers["content-length"] ?? 0) > mostBytes ? mostBytes : 0;
  const encoding = answer.headers["content-encoding"] || "identity";
  const certificateEndsAt = certificateEnd(answer);
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) end({ kind: "failed", why: "too_large", code: "size" });
    else chunks.push(chunk);
  });
  answer.on("error", (error: NodeJS.ErrnoException) => end(failureOf(error)));
  answer.on("end", () => {
    const { statusCode: status = 0, headers } = answer;
    end({ kind: "answered", status, headers, body: Buffer.concat(chunks), certificateEndsAt });
  });
  // Few bytes may unpack into very many, and we have asked for none that are packed.
  if (encoding !== "identity") end({ kind: "failed", why: "encoded", code: "content-encoding" });
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
