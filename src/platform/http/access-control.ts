/** Checks every request before its route runs: the rate limit, the key or session, the path, the method, the scope. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, confirmationRequired, forbidden, rateLimited, unauthorized } from "../problems.ts";
import { networkOf } from "./address.ts";
import { createRateLimit } from "./limits/rate-limit.ts";
import { createStrangerLimit } from "./limits/stranger-limit.ts";
import type { Principal, Route } from "./route.ts";
import type { MountOptions } from "./route-call.ts";
import { otherMethod, refuseUnknownPath } from "./server.ts";

export type AccessCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Whoever is known is counted by name, and a stranger by network (`stranger-limit.ts`). */
export function createAccessCheck(options: MountOptions): AccessCheck {
  const rateLimit = createRateLimit(options.rateLimitPerMinute, options.clock);
  const methods = methodsByPath(options.routes);
  const openMethods = methodsByPath(options.routes.filter(({ ofInstance }) => !ofInstance));
  const identifyCaller = createStrangerLimit(rateLimit);

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

  async function identify(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal | AppError | undefined> {
    const network = networkOf(request.ip);
    const found = await identifyCaller({
      network,
      credential: credentialOf(request),
      isSharable: request.headers.authorization !== undefined,
      spend: (counted) => spend(reply, counted),
      authenticate: () => options.authenticate(request, reply),
    });
    if (!found || found instanceof AppError) return found;
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
    if (!route || (route.ofInstance && !found.operator)) refuseUnknownPath(request, openMethods);
    refuseOtherMethod(request, route, methods);
    if (!route.ofInstance) refuseMissingScope(found, route.scope);
    refuseHeldChange(found, route);
    if (route.needsConfirmation) refuseUnconfirmed(found, options.clock.now());
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

/** What is a person's own, such as their sessions and factors, changes nothing of the account. */
function refuseHeldChange({ writesRefused: refusal }: Principal, route: Route): void {
  if (!refusal || route.method === "GET" || route.isPersonal || route.worksWhileHeld) return;
  throw new AppError(refusal.problem, refusal.detail);
}

/** A route whose need depends on what is asked for calls this itself. */
export function refuseUnconfirmed({ sessionId, confirmedUntil }: Principal, now: Date): void {
  if (!sessionId || (confirmedUntil && confirmedUntil > now)) return;
  throw new AppError(confirmationRequired, "prove first that it is you, with POST /v1/session/confirm");
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
