/**
 * `/tls-ask?domain=` says to a web server that gets certificates by itself, such as Caddy, for which hosts it shall: for tracking hosts
 * of domains that are proved and that lead here, and for our own. Nobody else learns more from it than from trying to connect.
 */
import type { FastifyInstance } from "fastify";
import type { Clock } from "../platform/clock.ts";
import { prepared, type Queryable, sql } from "../platform/db/db.ts";
import { networkOf } from "../platform/http/address.ts";
import { createRateLimit } from "../platform/http/limits/rate-limit.ts";
import { AppError, notFound, rateLimited } from "../platform/problems.ts";
import { HOST } from "./tracking-hosts.ts";

/**
 * So many hosts that aren't ours may be asked for, by one network. Hosts of ours aren't counted: the web server asks for everybody, so a
 * stranger who connects to it under made-up names would otherwise keep new hosts from getting their certificates.
 */
const PER_MINUTE = 1_200;

type TlsAskTools = {
  readonly db: Queryable;
  readonly clock: Clock;
  /** The hosts of PUBLIC_URL and BASE_URL. */
  readonly ownHosts: readonly string[];
};

export function mountTlsAsk(fastify: FastifyInstance, { db, clock, ownHosts }: TlsAskTools): void {
  const rateLimit = createRateLimit(PER_MINUTE, clock);
  fastify.get("/tls-ask", async (request, reply) => {
    const { domain } = request.query as { domain?: unknown };
    const host = typeof domain === "string" ? domain.toLowerCase().replace(/\.$/, "") : "";
    const isKnown = ownHosts.includes(host) || (HOST.test(host) && (await isTrackingHost(db, host)));
    if (!isKnown) {
      const taken = rateLimit.take(networkOf(request.ip));
      if (taken.allowed) throw new AppError(notFound, "no certificate is wanted for this host");
      const headers = { "retry-after": String(taken.resetSeconds) };
      throw new AppError(rateLimited, `${PER_MINUTE} questions a minute are used up`, { headers });
    }
    return reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send("yes\n");
  });
}

/**
 * Any account's host counts, since whoever asks knows no account; without a proof of its domain it is nobody's yet, however it leads
 * here. The index domains_by_tracking_host serves it.
 */
async function isTrackingHost(db: Queryable, host: string): Promise<boolean> {
  const { is_known } = await db.one<{ is_known: boolean }>(
    prepared(
      sql`select exists (select from domains where tracking_host = ${host} and tracking_cname_ok
        and status in ('verified', 'failing')) as is_known`,
    ),
  );
  return is_known;
}
