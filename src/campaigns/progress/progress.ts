/** Progress as server-sent events. */
import type { Readable } from "node:stream";
import { stillMay } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { Principal } from "../../platform/http/route.ts";
import { createEventStreams } from "../../platform/http/streams/event-streams.ts";
import { createOutlet } from "../../platform/http/streams/outlet.ts";
import { createWatch, type Look, type Watch } from "./watched-campaigns.ts";

export type ProgressStreams = {
  /** Throws a refusal when this key or person has too many already. */
  open(options: {
    ctx: Ctx;
    principal: Principal;
    scope: string;
    id: string;
    look: Look;
    /** Fires when the reader has gone or the process stops. */
    signal: AbortSignal;
  }): Readable;
};

export function createProgressStreams(listener: Pick<Listener, "listen">): ProgressStreams {
  let watch: Watch | undefined;
  const streams = createEventStreams({ stillMay, onTick: () => watch?.tick() });
  return {
    open({ id, look, ...who }) {
      const watched = watch ?? createWatch(listener, who.ctx.clock);
      watch = watched;
      const outlet = createOutlet();
      return streams.open({
        ...who,
        outlet,
        watch: (stream) =>
          watched.join(id, look, (seen) => {
            stream.spoke();
            if (seen.kind === "moving") outlet.offer(seen.event);
            else stream.end(seen.kind === "over" ? seen.event : undefined);
          }),
      });
    },
  };
}
