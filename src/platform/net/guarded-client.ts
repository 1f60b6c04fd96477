/**
 * Fetches URLs that a user or the world chose. It reaches nothing internal that isn't listed, follows no redirect, keeps
 * nothing between two requests unless a session is opened, and every step has a limit. What went wrong is a value, never an
 * exception.
 */
import { isIP } from "node:net";
import { createEgressFilter, type EgressFilter, type ResolveName } from "./egress-filter.ts";
import { openConnection } from "./http-connection.ts";
import {
  exchange,
  type GuardedAnswer,
  type GuardedRequest,
  limitsOf,
  requestText,
  STALE,
} from "./http-exchange.ts";
import { readInternalHosts } from "./internal.ts";
import { type KeptConnections, keepConnections } from "./kept-connections.ts";

export type { GuardedAnswer } from "./http-exchange.ts";

export type GuardedClientOptions = {
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
  /** Is the system's own resolver unless it is given. */
  readonly resolve?: ResolveName;
  /** The authorities whose certificates are believed, in place of those that Node knows. */
  readonly authorities?: readonly string[];
};

export type GuardedClient = { fetch(url: string, request?: GuardedRequest): Promise<GuardedAnswer> };

/** Keeps its connections open between requests, until it is closed. Requests that are under way then come to nothing. */
type GuardedSession = GuardedClient & { close(): void };

export type GuardedSessions = {
  /** Opens one for somebody who sends many requests to the same URL. */
  openSession(mostConnections: number): GuardedSession;
  /** Says whether the URL may be fetched. A name is resolved for it; one that can't be resolved now may be good later. */
  judge(url: string, allowsHttp: boolean): Promise<"ok" | "unresolved" | Refusal>;
};
type Refused = Extract<GuardedAnswer, { kind: "refused" }>;
type Refusal = Refused["why"];

const LONGEST_URL = 4_096;

export function createGuardedClient(options: GuardedClientOptions): GuardedClient & GuardedSessions {
  const filter = createEgressFilter(options.internalHosts, options.resolve);
  const { authorities } = options;
  const isListed = readInternalHosts(options.internalHosts).lists;

  /** What a URL says by itself never changes, and a session asks for the same one again and again. */
  function createReadTarget(): (text: string, allowsHttp: GuardedRequest["allowsHttp"]) => Target | Refused {
    let last:
      | { text: string; allowsHttp: GuardedRequest["allowsHttp"]; target: Target | Refused }
      | undefined;
    return (text, allowsHttp) => {
      if (last?.text === text && last.allowsHttp === allowsHttp) return last.target;
      const mayHttp = allowsHttp === "listed" ? isListedUrl(text, isListed) : (allowsHttp ?? false);
      const url = readUrl(text, filter, mayHttp);
      const target = "kind" in url ? url : targetOf(url);
      last = { text, allowsHttp, target };
      return target;
    };
  }

  async function fetchBy(
    target: Target | Refused,
    request: GuardedRequest,
    kept: KeptConnections | undefined,
  ): Promise<GuardedAnswer> {
    if (kept?.isClosed()) return BROKEN;
    if ("kind" in target) return target;
    const limitsMs = limitsOf(request);
    const text = requestText(target.path, target.hostHeader, request, kept !== undefined);
    const endMs = performance.now() + limitsMs.whole;
    const open = () => openConnection({ ...target, lookup: filter.lookup, authorities });
    const connection = kept ? kept.take(target.origin, open) : open();
    const answer = await exchange(connection, text, request, limitsMs, kept !== undefined);
    if (kept) kept.giveBack(connection);
    if (answer !== STALE) return answer;
    // A server may close a connection that was kept at the very moment that it is used again. A new one is tried then.
    const whole = endMs - performance.now();
    if (kept?.isClosed() || whole <= 0) return BROKEN;
    const again = await exchange(open(), text, request, { ...limitsMs, whole }, false);
    return again === STALE ? BROKEN : again;
  }

  return {
    fetch: (text, request = {}) => fetchBy(createReadTarget()(text, request.allowsHttp), request, undefined),
    openSession(mostConnections) {
      const kept = keepConnections(mostConnections);
      const readTarget = createReadTarget();
      return {
        fetch: (text, request = {}) => fetchBy(readTarget(text, request.allowsHttp), request, kept),
        close: kept.close,
      };
    },
    judge(text, allowsHttp) {
      const url = readUrl(text, filter, allowsHttp);
      if ("kind" in url) return Promise.resolve(url.why);
      const host = bareHost(url);
      if (isIP(host) !== 0) return Promise.resolve("ok");
      return new Promise((resolve) => {
        filter.lookup(host, { all: true }, (error) => {
          if (!error) resolve("ok");
          else resolve(error.code === "EINTERNAL" ? "internal" : "unresolved");
        });
      });
    },
  };
}

const BROKEN: GuardedAnswer = { kind: "failed", why: "broken", code: "ECONNRESET" };

/**
 * `URL` writes an address in its usual form, whether it was given in decimal, octal, hexadecimal or shortened, and refuses one
 * with a zone; so what is judged here is what is connected to.
 */
function readUrl(text: string, filter: EgressFilter, allowsHttp: boolean): URL | Refused {
  // `URL` removes line breaks and tabs, so that two readers of the same text could see two URLs.
  const url = text.length > LONGEST_URL || /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text);
  if (!url || url.hostname === "") return { kind: "refused", why: "bad_url" };
  if (url.protocol !== "https:" && !(allowsHttp && url.protocol === "http:"))
    return { kind: "refused", why: "not_https" };
  if (url.username !== "" || url.password !== "") return { kind: "refused", why: "has_credentials" };
  if (filter.refusesAddress(bareHost(url))) return { kind: "refused", why: "internal" };
  return url;
}

function isListedUrl(text: string, isListed: (host: string) => boolean): boolean {
  const url = URL.parse(text);
  return url !== null && isListed(bareHost(url));
}

/** A name may end with a dot, which neither resolvers nor certificates know. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|[\].]$/g, "");
}

/** Where a URL leads. */
type Target = {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly origin: string;
  readonly path: string;
  /** The host as the URL has it, with its port. */
  readonly hostHeader: string;
};

function targetOf(url: URL): Target {
  const isSecure = url.protocol === "https:";
  return {
    isSecure,
    host: bareHost(url),
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    hostHeader: url.host,
  };
}
