/** Tells load balancers and Prometheus whether the process is alive, may get traffic, and what it does. */
import { timingSafeEqual } from "node:crypto";
import { createServer as createHttpServer, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { type Db, sql } from "../db/db.ts";
import type { Metrics } from "../metrics.ts";
import { AppError, databaseUnavailable, notFound, unauthorized } from "../problems.ts";

export type HealthOptions = {
  db: Db;
  metrics: Metrics;
  /** The schema version that this program needs. */
  schemaVersion: number;
  metricsToken: string | undefined;
};

export function mountHealth(fastify: FastifyInstance, options: HealthOptions): void {
  fastify.get("/healthz", async () => ({ status: "alive" }));

  fastify.get("/readyz", async () => {
    const { version } = await options.db.one<{ version: number }>(
      sql`select coalesce(max(version), 0) as version from schema_migrations`,
    );
    if (version < options.schemaVersion) {
      throw new AppError(
        databaseUnavailable,
        `the schema is at ${version}, and ${options.schemaVersion} is needed`,
      );
    }
    return { status: "ready" };
  });

  fastify.get("/metrics", async (request, reply) => {
    const { metricsToken, metrics } = options;
    if (!metricsToken) throw new AppError(notFound, "set METRICS_TOKEN or METRICS_PORT to open /metrics");
    if (!sameText(request.headers.authorization ?? "", `Bearer ${metricsToken}`)) {
      throw new AppError(unauthorized, "send METRICS_TOKEN as a bearer token", {
        headers: { "www-authenticate": 'Bearer realm="metrics"' },
      });
    }
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}

/** Serves /metrics alone on a port of its own, without a token. */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<Server> {
  const server = createHttpServer(async (request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    const text = await metrics.registry.metrics();
    response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  return server;
}

function sameText(given: string, wanted: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(wanted);
  return a.length === b.length && timingSafeEqual(a, b);
}
