/** The command line imports a file on this machine: a running service does it where there is one, and else this process. */
import { constants, createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { recordAct } from "../../audit/audit.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { toPublicId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import type { HashAddress } from "../contact-store.ts";
import { allFields } from "../fields/fields.ts";
import { createImport, receiveFile } from "./import-life.ts";
import { findImport } from "./import-store.ts";
import { runImport } from "./running/running.ts";
import { type Import, ImportOptions } from "./schema.ts";
import { shapeImport } from "./shape.ts";
import { removeUpload } from "./upload.ts";

export type FileImport = Import;

const LOOK_EVERY_MS = 250;
/** A service takes a job within a second; where none has by then, there is no service, or it has too much to do. */
const TAKEN_WITHIN_MS = 3_000;

export async function importFile(
  ctx: Ctx<Db>,
  what: {
    file: string;
    /** These are the options as the API takes them. */
    options: unknown;
    uploadDir: string;
    hash: HashAddress;
    onProgress: (state: Import) => void;
  },
): Promise<Import> {
  const faults = createValidation().body(ImportOptions)(what.options);
  if (faults.length > 0) throw invalid(...faults);
  const options = what.options as ImportOptions;
  await access(what.file, constants.R_OK).catch((error) => {
    throw invalid({
      pointer: "/file",
      code: "unreadable",
      detail: `can't be read: ${(error as Error).message}`,
    });
  });
  const source = createReadStream(what.file) as AsyncIterable<Buffer>;
  const file = { name: basename(what.file), chunks: source };
  // Whoever has the machine may do everything.
  const received = await receiveFile(ctx, what.uploadDir, options, file, () => undefined);
  const made = await ctx.sql
    .transaction(async (tx) => {
      const own = { ...ctx, sql: tx };
      const row = await createImport(own, options, received);
      recordAct(own, "operator", "import.created", toPublicId("imp", row.id));
      return row;
    })
    .catch(async (error) => {
      await removeUpload(received.path);
      throw error;
    });

  const look = async () => {
    const row = await findImport(ctx.sql, ctx.accountId, made.id);
    if (!row) throw new Error("the import is gone");
    return shapeImport(row, await allFields(ctx.sql, ctx.accountId), ctx.clock);
  };
  const startedMs = ctx.clock.monotonicMs();
  let here: Promise<unknown> | undefined;
  let failure: unknown;
  for (;;) {
    const state = await look();
    what.onProgress(state);
    if (state.status !== "pending" && state.status !== "running") {
      await here;
      await removeUpload(received.path);
      return state;
    }
    if (failure) throw failure;
    if (state.status === "pending" && !here && ctx.clock.monotonicMs() - startedMs > TAKEN_WITHIN_MS) {
      // Its job stays in the queue: should this process be killed, the next start of the service goes on.
      here = runImport({
        db: ctx.sql,
        clock: ctx.clock,
        log: ctx.log,
        hash: what.hash,
        accountId: ctx.accountId,
        importId: made.id,
        path: received.path,
        isStopping: () => false,
      }).catch((error) => {
        failure = error;
      });
    }
    await sleep(LOOK_EVERY_MS);
  }
}
