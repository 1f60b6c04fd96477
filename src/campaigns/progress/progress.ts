/** The progress of campaigns as server-sent events. */
import { stillMay } from "../../accounts/accounts.ts";
import { onProgress } from "../../delivery/delivery.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { createObjectStreams, type ObjectStreams } from "../../platform/http/streams/watched-objects.ts";
import type { CampaignSummary } from "../schema.ts";
import type { Status } from "../status.ts";

/** One that waits or is paused moves only with a notification, so it is looked at rarely. A draft has nothing to watch yet. */
const LOOK_EVERY_MS: Readonly<Partial<Record<Status, number>>> = {
  sending: 5_000,
  scheduled: 60_000,
  paused: 60_000,
};

export function createProgressStreams(listener: Pick<Listener, "listen">): ObjectStreams<CampaignSummary> {
  return createObjectStreams(
    {
      event: "progress",
      onMoved: (id, callback) => onProgress(listener, id, callback),
      newsOf,
      everyMsOf: ({ status }) => LOOK_EVERY_MS[status],
    },
    stillMay,
  );
}

/** The rate and the time left change by themselves; only news is worth an event. */
function newsOf(found: CampaignSummary): unknown {
  const { per_second: _rate, eta: _eta, ...moved } = found.progress;
  return { ...found, progress: moved };
}
