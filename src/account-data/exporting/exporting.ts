/**
 * The export of an account: everything that it has, as one stream of lines. All are read in one snapshot of the database, so they fit
 * together; nothing is kept of them here, and a reader who stops reading ends it.
 */
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../platform/clock.ts";
import type { DbOptions } from "../../platform/db/db.ts";
import { createPieceStream, type PieceStream } from "../../platform/http/streams/piece-stream.ts";
import type { Log } from "../../platform/log.ts";
import { AppError } from "../../platform/problems.ts";
import { exportRunning } from "../problems.ts";
import type { Piece } from "./chunks.ts";
import { createPace, LEAST_BYTES_PER_SECOND } from "./pace.ts";
import type { ExportThreadData } from "./thread.ts";

/** Each holds a connection and a snapshot, behind which the database can't tidy up. */
const MOST_AT_ONCE = 2;
const TICK_MS = 1_000;
const CHECK_EVERY_MS = 5_000;
/** A reader that takes nothing for this long is cut off. */
const READ_WITHIN_MS = 60_000;
const LASTS_MS = 3_600_000;
const TOO_SLOW = `the reader takes less than ${LEAST_BYTES_PER_SECOND / 1_024} KB a second`;
const COME_BACK_AFTER_SECONDS = 60;
/** Garbage is collected below this size, however much passes through. The largest line, an attachment of 18 MB, fits in several times over. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

type Exporting = {
  readonly connection: DbOptions["connection"];
  readonly secretKeys: readonly string[];
  readonly accountId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells whether whoever asked would be let in now. */
  readonly mayStill: () => Promise<boolean>;
  /** Fires when the reader has gone or the process stops. */
  readonly signal: AbortSignal;
};

export type Exporter = {
  /** Throws a refusal where one is under way already. It begins when what is returned is read, and ends where that is destroyed. */
  open(exporting: Exporting): Readable;
};

/** One account has one export at a time in each process, and a process few. */
export function createExporter(): Exporter {
  const running = new Set<string>();
  return {
    open(exporting) {
      const { accountId, log } = exporting;
      if (running.has(accountId)) throw refusal("an export of this account is under way");
      if (running.size >= MOST_AT_ONCE) throw refusal("other accounts are being exported");
      running.add(accountId);
      const outlet = createPieceStream();
      void outlet.piped
        .then(
          () => pour(exporting, outlet),
          () => undefined,
        )
        .catch((error: Error) => {
          log.warn({ account_id: accountId, reason: error.message }, "an export was broken off");
          // Without its last line nobody takes it for a whole one.
          outlet.readable.destroy(error);
        })
        .finally(() => running.delete(accountId));
      return outlet.readable;
    },
  };
}

function refusal(detail: string): AppError {
  return new AppError(exportRunning, `${detail}; try again when it is done`, {
    headers: { "retry-after": String(COME_BACK_AFTER_SECONDS) },
  });
}

async function pour(exporting: Exporting, outlet: PieceStream): Promise<void> {
  const { clock, signal, mayStill } = exporting;
  const stop = new AbortController();
  const end = (why: string) => stop.abort(new Error(why));
  const leave = () => end("the reader has gone, or the process stops");
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const beganMs = clock.monotonicMs();
  let checkedMs = beganMs;
  const reading = { sinceMs: undefined as number | undefined };
  const pace = createPace();
  const ticking = setInterval(() => {
    const nowMs = clock.monotonicMs();
    const { sinceMs } = reading;
    if (sinceMs !== undefined && nowMs - sinceMs > READ_WITHIN_MS) end("the reader takes nothing");
    if (sinceMs !== undefined && pace.isTooSlow(nowMs - sinceMs)) end(TOO_SLOW);
    if (nowMs - beganMs > LASTS_MS) end("it took longer than an hour");
    if (nowMs - checkedMs < CHECK_EVERY_MS) return;
    checkedMs = nowMs;
    // While the database is away nobody is cut off for that; the next check will tell.
    mayStill().then(
      (may) => may || end("whoever asked may no longer read"),
      () => undefined,
    );
  }, TICK_MS);
  try {
    await runThread(exporting, stop.signal, async (bytes) => {
      pace.took(bytes.length);
      const sinceMs = clock.monotonicMs();
      reading.sinceMs = sinceMs;
      await outlet.write(bytes);
      reading.sinceMs = undefined;
      pace.waited(clock.monotonicMs() - sinceMs);
    });
    outlet.end();
  } finally {
    clearInterval(ticking);
    signal.removeEventListener("abort", leave);
  }
}

/** Takes the pieces of the export from a thread, one after the other; the thread ends with it, however it ends. */
async function runThread(
  { connection, secretKeys, accountId, clock }: Exporting,
  signal: AbortSignal,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const workerData: ExportThreadData = { connection, secretKeys, accountId, at: clock.now() };
  const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData, resourceLimits: LIMITS });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let taking: Promise<unknown> = Promise.resolve();
  thread.on("message", (said: Piece | "done") => {
    taking = taking.then(async () => {
      if (said === "done") return resolve();
      const { memory, bytes } = said;
      await take(new Uint8Array(memory, 0, bytes));
      // The thread uses it again: thrown away here, it would wait as garbage until there are some 60 MB.
      thread.postMessage(memory, [memory]);
    });
    taking.catch(reject);
  });
  thread.once("error", reject);
  thread.once("exit", () => reject(new Error("the thread of an export ended early")));
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    await thread.terminate();
  }
}
