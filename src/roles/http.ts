/** Every process has this HTTP server, whatever its roles. It always serves health and metrics; roles mount the rest. */
import type { AddressInfo } from "node:net";
import { localUrl } from "../platform/http/address.ts";
import { mountHealth, serveMetrics } from "../platform/http/health.ts";
import { createServer, type HttpServer } from "../platform/http/server.ts";
import { explainListenError } from "../platform/listen-error.ts";
import type { App, Role } from "./app.ts";

export type Http = Role & {
  readonly server: HttpServer;
  /** The address is known for certain once the server listens. */
  baseUrl(): string;
  /** The address by which this machine reaches this very process, once the server listens. */
  localUrl(): string;
  listen(): Promise<void>;
};

export function createHttp(app: App): Http {
  const { config, log } = app;
  let baseUrl = config.baseUrl ?? "";
  let ownUrl = "";
  let metricsServer: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  const server = createServer({
    log,
    clock: app.clock,
    trustProxy: config.trustProxy,
    baseUrl: () => baseUrl,
  });
  server.onAnswered((answered) => {
    app.metrics.countAnswer(answered);
    log.debug(answered, "answered");
  });
  mountHealth(server.fastify, {
    db: app.db,
    metrics: app.metrics,
    schemaVersion: app.schemaVersion,
    metricsToken: config.metricsToken,
  });

  return {
    server,
    baseUrl: () => baseUrl,
    localUrl: () => ownUrl,
    async listen() {
      const { host, port, metricsPort } = config;
      await server.fastify.listen({ host, port }).catch((error) => {
        throw explainListenError(error, { host, port, setting: "PORT" });
      });
      const { port: actualPort } = server.fastify.server.address() as AddressInfo;
      ownUrl = localUrl(host, actualPort);
      baseUrl ||= ownUrl;
      if (metricsPort !== undefined) {
        metricsServer = await serveMetrics(app.metrics, host, metricsPort).catch((error) => {
          throw explainListenError(error, { host, port: metricsPort, setting: "METRICS_PORT" });
        });
      }
    },
    async stop(graceMs) {
      await server.stop(graceMs);
      metricsServer?.closeAllConnections();
      metricsServer?.close();
    },
  };
}
