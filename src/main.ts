/** `npm start` runs this file: it reads the settings, starts the app and stops it on a signal. */
import { startApp } from "./app.ts";
import { exitWith } from "./exit.ts";
import { systemClock } from "./platform/clock.ts";
import { loadConfig } from "./platform/config/load.ts";
import { createLog, isPretty } from "./platform/log.ts";
import { giveMemoryBack } from "./spare-memory.ts";

const { config, sources: settingSources } = run(() => loadConfig(process.env));
const log = createLog({ level: config.logLevel, pretty: isPretty(config.logFormat) });

// The terminal may be closed, or the reader of the log may have ended. Then output is lost, but the service works on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const STOP_WITHIN_MS = 9_500;
/** npm and the terminal may both pass on the same Ctrl-C. Only a second one that comes later means "at once". */
const SAME_SIGNAL_MS = 1_000;

const stopping = new AbortController();
const starting = startApp({ config, settingSources, log, clock: systemClock, signal: stopping.signal });
let signalledAt: number | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    const now = performance.now();
    if (signalledAt !== undefined) {
      if (now - signalledAt > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    signalledAt = now;
    log.info({ signal }, "stopping");
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    stopping.abort();
    starting.then((running) => running.stop()).then(stopped, ended);
  });
}

function stopped(): void {
  log.info("stopped");
  process.exitCode = 0;
}

try {
  const running = await starting;
  giveMemoryBack();
  if (running.firstStart) process.stdout.write(welcome(running.baseUrl, running.firstStart));
  // Programs that read the log find the address in its line "ready"; people are told.
  else if (running.app.isLogPretty) process.stdout.write(whereToGo(running.baseUrl));
} catch (error) {
  ended(error);
}

/** A start that is stopped while it waits rejects with an AbortError, and that is no failure. */
function ended(error: unknown): void {
  if (stopping.signal.aborted && (error as Error).name === "AbortError") stopped();
  else exitWith(error);
}

function whereToGo(baseUrl: string): string {
  return `
  Postrider is running: open ${baseUrl}

`;
}

function welcome(baseUrl: string, first: { key: string; listId: string; setupLink: string }): string {
  return `
  Postrider is running. Open the set-up link in a browser: it makes you the owner.

    Set-up link     ${first.setupLink}
    Address         ${baseUrl}

  For programs:

    API reference   ${baseUrl}/docs
    API key         ${first.key}
    First list      ${first.listId}

  The link and the key are shown this once. The link is good for one use within 7 days.
  \`npm run postrider -- users create\` makes another link, \`keys create\` another key.

`;
}

function run<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return exitWith(error);
  }
}
