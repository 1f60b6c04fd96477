import type { Bench } from "../harness/bench.ts";
import { httpFigures } from "./http.ts";
import { jobFigures } from "./jobs.ts";

export const apiBench: Bench = {
  name: "api",
  summary: "requests a second against a bare Fastify, jobs a second against a bare graphile-worker",
  async *run(setting) {
    yield* httpFigures(setting);
    yield* jobFigures(setting);
  },
};
