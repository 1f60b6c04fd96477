/**
 * `/tls-ask?domain=` says to a web server that gets certificates by itself, such as Caddy, for which hosts it shall: for tracking hosts
 * that lead here, and for our own. Nobody else learns more from it than from trying to connect.
 */
import type { FastifyInstance } from "fastify";
import type { Clock } from "../platform/clock.ts";
import { prepared, type Queryable, sql } from "../platform/db/db.ts";
import { networkOf } from "../platform/http/address.ts";
import { createRateLimit } from "../platform/http/rate-limit.ts";
import { AppError, notFound, rateLimited } from "../platform/problems.ts";

/** The web server asks once for each host that it has no certificate of. */
const PER_MINUTE = 1_200;
const HOST = /^(?=.{1,253}$)[a-z\d-]+(?:\.[a-z\d-]+)+$/;

type TlsAskTools = {
  readonly db: Queryable;
  readonly clock: Clock;
  /** The hosts of PUBLIC_URL and BASE_URL. */
  readonly ownHosts: readonly string[];
};

export function mountTlsAsk(fastify: FastifyInstance, { db, clock, ownHosts }: TlsAskTools): void {
  const rateLimit = createRateLimit(PER_MINUTE, clock);
  fastify.get("/tls-ask", async (request, reply) => {
    const taken = rateLimit.take(networkOf(request.ip));
    if (!taken.allowed) {
      const headers = { "retry-after": String(taken.resetSeconds) };
      throw new AppError(rateLimited, `${PER_MINUTE} questions a minute are used up`, { headers });
    }
    const { domain } = request.query as { domain?: unknown };
    const host = typeof domain === "string" ? domain.toLowerCase().replace(/\.$/, "") : "";
    const isKnown = ownHosts.includes(host) || (HOST.test(host) && (await isTrackingHost(db, host)));
    if (!isKnown) throw new AppError(notFound, "no certificate is wanted for this host");
    return reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send("yes\n");
  });
}

/** The index domains_by_tracking_host serves it. Any account's host counts, since whoever asks knows no account. */
async function isTrackingHost(db: Queryable, host: string): Promise<boolean> {
  const { is_known } = await db.one<{ is_known: boolean }>(
    prepared(
      sql`select exists (select from domains where tracking_host = ${host} and tracking_cname_ok) as is_known`,
    ),
  );
  return is_known;
}
