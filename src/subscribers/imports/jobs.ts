/** These are the jobs of imports: running one, undoing one, and removing what uploads leave behind. */
import { access } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { DbOptions } from "../../platform/db/db.ts";
import { type AnyJob, addJob, defineJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { importsInNeed, removeFaults } from "./import-store.ts";
import type { ThreadInput } from "./import-thread.ts";
import { type ImportPayload, removeFaultsKind, runImportKind, undoImportKind } from "./job-kinds.ts";
import { FileFault } from "./reading/reading.ts";
import { failImport, removeDryRows, undoBatches } from "./running/running.ts";

import { removeStrayUploads, removeUpload, uploadPath } from "./upload.ts";

export type ImportJobOptions = {
  readonly connection: DbOptions["connection"];
  readonly addressKey: Buffer;
  readonly uploadDir: string;
};

/** So many run in one process; more wait in the queue, so that neither its memory nor its database is flooded. */
const MOST_AT_ONCE = 2;
const WAIT_MS = 2_000;
/** Another machine may hold the file, where the folder isn't shared as it should be. */
const TRIES_WITHOUT_FILE = 4;

export function importJobs(options: ImportJobOptions): {
  jobs: readonly AnyJob[];
  tidyUp: typeof tidyUpKind;
} {
  let running = 0;

  const runJob = async (ctx: JobCtx, payload: ImportPayload): Promise<void> => {
    const again = (delayMs: number) =>
      addJob(ctx.db, runImportKind, payload, {
        key: `import ${payload.import_id}`,
        runAt: new Date(Date.now() + delayMs),
      });
    if (running >= MOST_AT_ONCE) return again(WAIT_MS);
    const path = uploadPath(options.uploadDir, payload.account_id, payload.import_id);
    const importRef = { ...ctx, accountId: payload.account_id, importId: payload.import_id };
    if (!(await exists(path))) return whenFileIsMissing(ctx, importRef);
    running++;
    try {
      const outcome = await runInThread(options, ctx, payload, path);
      // This is a new job and not a failed one, because stopping a service must not use up an import's attempts.
      if (outcome === "stopped") return await again(0);
      await removeUpload(path);
      // A canceled dry run has left these rows.
      await ctx.db.transaction((tx) => removeDryRows(tx, payload.account_id, payload.import_id));
    } catch (error) {
      if (ctx.attempt < runImportKind.maxAttempts) throw error;
      await failImport(
        importRef,
        new FileFault("internal_error", "The import failed again and again; see the log."),
      );
      await removeUpload(path);
      throw error;
    } finally {
      running--;
    }
  };

  const tidyUp = {
    ...tidyUpKind,
    run: ({ db }: JobCtx) =>
      removeStrayUploads(options.uploadDir, (accountId, ids) => importsInNeed(db, accountId, ids)),
  };
  return {
    jobs: [
      { ...runImportKind, run: runJob },
      { ...undoImportKind, run: undoBatches },
      removeFaultsJob,
      tidyUp,
    ],
    tidyUp,
  };
}

const removeFaultsJob = {
  ...removeFaultsKind,
  run: ({ db }: JobCtx, payload: ImportPayload) => removeFaults(db, payload.account_id, payload.import_id),
};

const tidyUpKind = defineJob<Record<string, never>>({ name: "tidy_up_imports", run: async () => undefined });

async function whenFileIsMissing(ctx: JobCtx, importRef: Parameters<typeof failImport>[0]): Promise<void> {
  const fault = new FileFault(
    "file_missing",
    "The uploaded file isn't here. With several machines UPLOAD_DIR must be a folder that all of them share.",
  );
  if (ctx.attempt < TRIES_WITHOUT_FILE && (await isWaited(importRef))) throw fault;
  await failImport(importRef, fault);
}

/** An import that has ended needs its file no more. */
async function isWaited({ db, accountId, importId }: Parameters<typeof failImport>[0]): Promise<boolean> {
  return (await importsInNeed(db, accountId, [importId])).has(importId);
}

function runInThread(
  options: ImportJobOptions,
  ctx: JobCtx,
  payload: ImportPayload,
  path: string,
): Promise<"ended" | "stopped"> {
  const input: ThreadInput = {
    connection: options.connection,
    addressKey: options.addressKey,
    accountId: payload.account_id,
    importId: payload.import_id,
    path,
    clockOffsetMs: ctx.clock.now().getTime() - Date.now(),
  };
  const thread = new Worker(new URL("./import-thread.ts", import.meta.url), {
    workerData: input,
    // This is far above what it needs; a bug must end the import and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  });
  const stop = () => {
    thread.postMessage("stop");
    // A thread that is cut off in mid-batch loses nothing, so it must not hold up the end of the process.
    thread.unref();
  };
  ctx.signal.addEventListener("abort", stop, { once: true });
  if (ctx.signal.aborted) stop();
  const { promise, resolve, reject } = Promise.withResolvers<"ended" | "stopped">();
  thread.once("message", resolve);
  thread.once("error", reject);
  thread.once("exit", (code) => reject(new Error(`the import's thread ended with code ${code}`)));
  return promise.finally(() => ctx.signal.removeEventListener("abort", stop));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
