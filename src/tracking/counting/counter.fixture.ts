/** What the counter asks of others, in tests of counting alone: everybody may be tracked, and machines say that they are. */
import { systemClock } from "../../platform/clock.ts";
import type { Hit } from "../hits/hits.ts";
import type { CountedHit } from "./count.ts";
import { createEngagementWriter } from "./engagement.ts";

export const askedOfOthers = {
  classify: async (_tx: unknown, hits: readonly Hit[]) =>
    hits.map(({ userAgent }) => (userAgent === "a machine" ? "bot" : "")),
  withoutUntracked: async (_tx: unknown, hits: readonly CountedHit[]) => hits,
  countedLinks: async () => new Map(),
  writeEngagement: createEngagementWriter(systemClock),
  idsInEvents: () => ({}),
};
