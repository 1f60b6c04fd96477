/**
 * The program as `npm start` runs it, with tracked links although nobody answers them yet. Settings come from the
 * environment; says its port.
 */
import { startApp } from "../../src/app.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createLog } from "../../src/platform/log.ts";

const { config } = loadConfig(process.env, "no .env here");
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const served = { opens: true, clicks: true };
const { baseUrl, stop } = await startApp({ config, log, clock: systemClock, claim: "guest", served });

process.send?.({ port: Number(new URL(baseUrl).port) });
for (const end of ["SIGTERM", "disconnect"] as const)
  process.once(end, () => stop().then(() => process.exit(0)));
