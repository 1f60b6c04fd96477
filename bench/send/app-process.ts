/**
 * Runs the program as `npm start` does, with tracked links and unsubscribe links although nobody answers them yet.
 * Settings come from the environment; it says its port.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startApp } from "../../src/app.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createLog } from "../../src/platform/log.ts";
import { SAY_LOOP, WATCH_LOOP } from "./waits.ts";

const { config } = loadConfig(process.env, "no .env here");
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const served = { opens: true, clicks: true, unsubscribe: true };
const { baseUrl, stop } = await startApp({ config, log, clock: systemClock, claim: "guest", served });

process.send?.({ port: Number(new URL(baseUrl).port) });
for (const end of ["SIGTERM", "disconnect"] as const)
  process.once(end, () => stop().then(() => process.exit(0)));

/** The delay of the event loop is sampled by a timer of this interval. */
const RESOLUTION_MS = 2;
let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
process.on("message", (told) => {
  if (told === WATCH_LOOP) {
    delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
  }
  if (told !== SAY_LOOP || !delay) return;
  delay.disable();
  // The measured delay counts from the timer before and so includes the interval, which is subtracted here.
  const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.send?.({ loop: { p99Ms: lateMs(delay.percentile(99)), mostMs: lateMs(delay.max) } });
});
