import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { deleteWarmup, pauseWarmup, putWarmup, readWarmup } from "./plans.ts";
import { Warmup, WarmupInput } from "./schema.ts";

const Params = Strict({ id: PublicId("trn") });
const tag = "Transports";
const path = "/v1/transports/:id/warmup";
const read = "transports:read";
const write = "transports:write";

export const warmupRoutes: readonly Route[] = [
  readRoute({
    path,
    scope: read,
    tag,
    summary: "Get a warm-up",
    description:
      "The plan, and what was planned and sent on each of the last 30 days, for each mailbox provider.",
    params: Params,
    success: { status: 200, schema: Warmup, description: "The warm-up." },
    handler: async ({ ctx, params }) => ({
      status: 200,
      body: await readWarmup(ctx, transportId(params.id)),
    }),
  }),
  writeRoute({
    method: "PUT",
    path,
    scope: write,
    audit: { action: "transport.warmup_set", of: "path" },
    tag,
    summary: "Warm a transport up",
    description:
      "Each mailbox provider is given `start_per_day` messages on its first day, and `growth` times as many after each good day: one on which " +
      "at least 70% of that was sent, less than 2% bounced hard, less than 10% of the attempts were put off, and less than 0.1% was complained " +
      "about. At 0.3% of complaints it goes two steps back. What is left waits for the next day of UTC. A plan that is replaced goes on from where it was.",
    params: Params,
    body: WarmupInput,
    success: { status: 200, schema: Warmup, description: "The warm-up." },
    handler: async ({ ctx, params, body }) => ({
      status: 200,
      body: await putWarmup(ctx, transportId(params.id), body),
    }),
  }),
  writeRoute({
    method: "DELETE",
    path,
    scope: write,
    audit: { action: "transport.warmup_deleted", of: "path" },
    tag,
    summary: "End a warm-up",
    description:
      "Nothing limits what a provider is given from then on, and what waited for the next day leaves now.",
    params: Params,
    success: { status: 204, schema: null, description: "Gone." },
    async handler({ ctx, params }) {
      await deleteWarmup(ctx, transportId(params.id));
      return { status: 204 };
    },
  }),
  pausing(
    "pause",
    true,
    "Pause a warm-up",
    "No day takes a step, forward or back: what each provider may be given stays as it is.",
  ),
  pausing("resume", false, "Resume a warm-up", "The next day follows from the last one again."),
];

function pausing(verb: "pause" | "resume", isPaused: boolean, summary: string, description: string): Route {
  return writeRoute({
    method: "POST",
    path: `${path}/${verb}`,
    scope: write,
    audit: { action: isPaused ? "transport.warmup_paused" : "transport.warmup_resumed", of: "path" },
    tag,
    summary,
    description,
    params: Params,
    success: { status: 200, schema: Warmup, description: "The warm-up." },
    handler: async ({ ctx, params }) => ({
      status: 200,
      body: await pauseWarmup(ctx, transportId(params.id), isPaused),
    }),
  });
}

function transportId(text: string): string {
  return requireId("trn", text, "transport");
}
