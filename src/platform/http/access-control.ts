/** Checks every request before its route runs: the rate limit, the key or session, the path, the method, the scope. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createLruCache } from "../lru-cache.ts";
import { AppError, forbidden, rateLimited, unauthorized } from "../problems.ts";
import { networkOf } from "./address.ts";
import { createRateLimit } from "./rate-limit.ts";
import type { Principal, Route } from "./route.ts";
import type { MountOptions } from "./route-call.ts";
import { otherMethod, refuseUnknownPath } from "./server.ts";

export type AccessCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const MOST_KNOWN = 20_000;

/**
 * A stranger is counted by network before any query, so forged keys cost no more than their rate. Whoever turns out to be
 * known is counted by name, and the network gets its request back. A key or cookie that was valid lately isn't counted as
 * a stranger's, so that others on its network can't lock it out.
 */
export function createAccessCheck(options: MountOptions): AccessCheck {
  const rateLimit = createRateLimit(options.rateLimitPerMinute, options.clock);
  const methods = methodsByPath(options.routes);
  const known = createLruCache<true>(MOST_KNOWN);
  /**
   * Counts the requests that wait to hear whether this key is valid; only the first of them was counted against its
   * network.
   */
  const underWay = new Map<string, number>();

  function spend(reply: FastifyReply, counted: string): void {
    const { rateLimitPerMinute: perMinute } = options;
    const taken = rateLimit.take(counted);
    reply.header("ratelimit-policy", `"default";q=${perMinute};w=60`);
    reply.header("ratelimit", `"default";r=${taken.remaining};t=${taken.resetSeconds}`);
    if (taken.allowed) return;
    throw new AppError(rateLimited, `${perMinute} requests a minute are used up`, {
      headers: { "retry-after": String(taken.resetSeconds) },
    });
  }

  async function ask(request: FastifyRequest, reply: FastifyReply, credential: string) {
    underWay.set(credential, (underWay.get(credential) ?? 0) + 1);
    try {
      return await options.authenticate(request, reply);
    } finally {
      const left = (underWay.get(credential) ?? 1) - 1;
      if (left > 0) underWay.set(credential, left);
      else underWay.delete(credential);
    }
  }

  async function identify(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal | AppError | undefined> {
    const network = networkOf(request.ip);
    const credential = credentialOf(request);
    // Many requests may come at once with a key that this process hasn't seen yet; one look-up serves them all.
    const isShared = request.headers.authorization !== undefined && underWay.has(credential);
    const isCounted = !known.get(credential) && !isShared;
    if (isCounted) spend(reply, network);
    const found = await ask(request, reply, credential).catch((error) => {
      if (!isCounted) spend(reply, network);
      throw error;
    });
    if (!found || found instanceof AppError) {
      known.delete(credential);
      if (!isCounted) spend(reply, network);
      return found;
    }
    if (isCounted) rateLimit.giveBack(network);
    known.set(credential, true);
    if (found.unlimited) tellUnlimited(reply);
    else spend(reply, found.actor.id ?? network);
    return found;
  }

  return async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (route?.scope === null) {
      spend(reply, networkOf(request.ip));
      refuseOtherMethod(request, route, methods);
      return;
    }
    const found = await identify(request, reply);
    if (found instanceof AppError) throw found;
    if (!found) {
      throw new AppError(unauthorized, "send a good API key as `Authorization: Bearer pr_…`", {
        headers: { "www-authenticate": 'Bearer realm="postrider"' },
      });
    }
    request.principal = found;
    if (!route) refuseUnknownPath(request, methods);
    refuseOtherMethod(request, route, methods);
    refuseMissingScope(found, route.scope);
  };
}

/**
 * Shortens what identifies the caller (nothing, `Authorization` or the cookies) to few bytes. There may be many cookies,
 * and they are never shared.
 */
function credentialOf({ headers: { authorization, cookie = "" } }: FastifyRequest): string {
  const text = authorization ?? cookie;
  return text.length <= 128 ? text : hash("sha256", text, "base64");
}

// This is the largest integer of a structured header (RFC 9651 §3.3.1), which nobody reaches in a minute.
const UNLIMITED = 999_999_999_999_999;

/** Sends the same headers as for a limited key, so that clients need no special case. */
function tellUnlimited(reply: FastifyReply): void {
  reply.header("ratelimit-policy", `"unlimited";q=${UNLIMITED};w=60`);
  reply.header("ratelimit", `"unlimited";r=${UNLIMITED};t=60`);
}

export function hasScope({ scopes }: Principal, scope: string): boolean {
  return scopes.includes(scope) || scopes.includes("full");
}

/** A route whose scope depends on what is asked for calls this itself. */
export function refuseMissingScope(principal: Principal, scope: string): void {
  if (hasScope(principal, scope)) return;
  throw new AppError(forbidden, `this key lacks the scope ${scope}`, { members: { required_scope: scope } });
}

/** `PATCH /things/search` matches `/things/:id`, but the path belongs to another route, which doesn't take the method. */
function refuseOtherMethod(
  request: FastifyRequest,
  route: Route,
  methods: ReadonlyMap<string, readonly string[]>,
): void {
  if (!route.path.includes(":")) return;
  const params = request.params as Record<string, string>;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  const own = methods.get(path);
  if (own && !own.includes(request.method)) throw otherMethod(own);
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  // Fixed paths come first, so that `/things/search` is not taken for `/things/:id`.
  const ordered = [...routes].sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));
  for (const { path, method } of ordered) {
    const own = method === "GET" ? ["GET", "HEAD"] : [method];
    methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}
