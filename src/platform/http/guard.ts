/** What stands before every route: the rate limit, the key or session, the path, the method, the scope. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, forbidden, rateLimited, unauthorized } from "../problems.ts";
import type { MountOptions } from "./call.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Principal } from "./route.ts";
import { refuseUnknownPath } from "./server.ts";

export async function guard(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimit: RateLimit,
  methods: ReadonlyMap<string, readonly string[]>,
  options: MountOptions,
): Promise<void> {
  const { route } = request.routeOptions.config;
  const isOpen = route?.scope === null;
  const limit = (key: string) => limitRate(reply, rateLimit, key, options.rateLimitPerMinute);
  const found = isOpen
    ? undefined
    : await options.authenticate(request, reply).catch((error) => {
        limit(request.ip);
        throw error;
      });
  const principal = found instanceof AppError ? undefined : found;
  request.principal = principal;
  if (!principal?.unlimited) limit(principal?.actor.id ?? request.ip);
  if (found instanceof AppError) throw found;
  if (!principal && !isOpen) {
    throw new AppError(unauthorized, "send a good API key as `Authorization: Bearer pr_…`", {
      headers: { "www-authenticate": 'Bearer realm="postrider"' },
    });
  }
  if (!route) refuseUnknownPath(request, methods);
  if (principal && route.scope !== null && !hasScope(principal, route.scope)) {
    throw new AppError(forbidden, `this key lacks the scope ${route.scope}`, {
      members: { required_scope: route.scope },
    });
  }
}

function limitRate(reply: FastifyReply, rateLimit: RateLimit, key: string, perMinute: number): void {
  const taken = rateLimit.take(key);
  reply.header("ratelimit-policy", `"default";q=${perMinute};w=60`);
  reply.header("ratelimit", `"default";r=${taken.remaining};t=${taken.resetSeconds}`);
  if (!taken.allowed) {
    throw new AppError(rateLimited, `${perMinute} requests a minute are used up`, {
      headers: { "retry-after": String(taken.resetSeconds) },
    });
  }
}

function hasScope(principal: Principal, scope: string): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("full");
}
