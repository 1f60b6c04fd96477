/** The numbers of automations as server-sent events. */
import { stillMay } from "../../accounts/accounts.ts";
import { onProgress } from "../../delivery/delivery.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { createObjectStreams, type ObjectStreams } from "../../platform/http/streams/watched-objects.ts";
import type { Status } from "../status.ts";
import type { AutomationStats } from "./stats.ts";

/**
 * Steps tell nobody that they were taken: a notification with each of them would make all that commits wait for its turn. Mail that leaves
 * does. So one that somebody watches is looked at this often; a look reads some rows a step, however many people are inside.
 */
const LOOK_EVERY_MS: Readonly<Partial<Record<Status, number>>> = {
  live: 2_000,
  draining: 2_000,
  paused: 10_000,
};

export function createStatsStreams(listener: Pick<Listener, "listen">): ObjectStreams<AutomationStats> {
  return createObjectStreams(
    {
      event: "stats",
      onMoved: (id, callback) => onProgress(listener, id, callback),
      newsOf: ({ as_of: _now, ...numbers }) => numbers,
      everyMsOf: ({ status }) => LOOK_EVERY_MS[status],
    },
    stillMay,
  );
}
