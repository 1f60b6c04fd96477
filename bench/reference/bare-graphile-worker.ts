/**
 * This frozen reference is graphile-worker alone, with the local queue that makes it fastest. It imports nothing of
 * ours. Given a number, it says "done" when it has run that many jobs. Usage: bare-graphile-worker.ts DATABASE_URL
 * CONCURRENCY
 */
import { Logger, run } from "graphile-worker";

const [, , connectionString = "", concurrencyText = "10"] = process.argv;
const concurrency = Number(concurrencyText);
let left = 0;

await run({
  connectionString,
  concurrency,
  noHandleSignals: true,
  parsedCronItems: [],
  // Its own logger writes a line for each job, which would be half of what is measured.
  logger: new Logger(() => () => undefined),
  taskList: {
    noop: async () => {
      if (--left === 0) process.send?.("done");
    },
  },
  preset: { worker: { completeJobBatchDelay: 0, localQueue: { size: concurrency * 10 } } },
});

process.on("message", (count) => {
  left = Number(count);
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");
