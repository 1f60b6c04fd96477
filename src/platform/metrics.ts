import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Db } from "./db/db.ts";
import type { Answered } from "./http/server.ts";
import type { Finished } from "./jobs/tasks.ts";

export type Metrics = {
  readonly registry: Registry;
  countAnswer(answered: Answered): void;
  countJob(finished: Finished): void;
};

export function createMetrics(db: Db): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const durations = new Histogram({
    name: "postrider_http_request_seconds",
    help: "Time to answer, by route.",
    labelNames: ["method", "route"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const answers = new Counter({
    name: "postrider_http_answers_total",
    help: "Answers by route and status.",
    labelNames: ["method", "route", "status"] as const,
    registers,
  });
  const jobs = new Histogram({
    name: "postrider_job_seconds",
    help: "Time of a job's run, by job and outcome.",
    labelNames: ["job", "outcome"] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600],
    registers,
  });
  new Gauge({
    name: "postrider_database_connections",
    help: "Connections of this process by state.",
    labelNames: ["state"] as const,
    registers,
    collect() {
      const { total, idle, waiting } = db.counts();
      this.set({ state: "in_use" }, total - idle);
      this.set({ state: "idle" }, idle);
      this.set({ state: "waiting" }, waiting);
    },
  });
  return {
    registry,
    countAnswer({ method, route, status, durationMs }) {
      durations.observe({ method, route }, durationMs / 1_000);
      answers.inc({ method, route, status });
    },
    countJob: ({ job, outcome, durationMs }) => jobs.observe({ job, outcome }, durationMs / 1_000),
  };
}
