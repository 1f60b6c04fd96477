/** Uploaded files lie on disk under a temporary name until they are whole, and go when nobody needs them. */
import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, bodyTooLarge, storageFull } from "../../platform/problems.ts";

export type SavedUpload = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** Each account has a folder, so that nobody ever has to ask whose a file is. */
export function uploadPath(uploadDir: string, accountId: string, importId: string): string {
  return join(uploadDir, accountId, `${importId}.csv`);
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Writes the stream to disk chunk by chunk and hashes it on the way. Whatever goes wrong, nothing is left behind. */
export async function saveUpload(
  uploadDir: string,
  { accountId, importId }: { accountId: string; importId: string },
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): Promise<SavedUpload> {
  const path = uploadPath(uploadDir, accountId, importId);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${path}.part`;
  const file = await open(part, "wx", 0o600).catch(explainFull);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new AppError(bodyTooLarge, `the file is over ${mostBytes / 1_048_576} MB`);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.sync();
    await file.close();
    await rename(part, path);
    await syncFolder(folder);
    return { path, bytes, sha256: hash.digest("hex") };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    await rm(path, { force: true });
    return explainFull(error);
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

function explainFull(error: unknown): never {
  if (!FULL.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  throw new AppError(storageFull, "the disk for uploads is full; nothing of the file was kept", {
    headers: { "retry-after": "60" },
  });
}

/** A rename is on the disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function removeUpload(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** No upload lasts longer than this; a younger file may be one that arrives right now. */
const STRAY_AFTER_MS = 24 * 3_600_000;

/** Removes what a crash left: halves of uploads, and files whose import ended or never came to be. */
export async function removeStrayUploads(
  uploadDir: string,
  inNeed: (accountId: string, importIds: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const accounts = (await readdir(uploadDir).catch(() => [])).filter((name) => /^[0-9a-f-]{36}$/.test(name));
  for (const accountId of accounts) {
    const folder = join(uploadDir, accountId);
    const names = (await readdir(folder)).filter((name) => /^[0-9a-f-]{36}\.csv(\.part)?$/.test(name));
    const idOf = (name: string) => name.slice(0, 36);
    const needed = await inNeed(accountId, names.map(idOf));
    for (const name of names) {
      const path = join(folder, name);
      const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
      const isNeeded = needed.has(idOf(name)) && !name.endsWith(".part");
      if (age > STRAY_AFTER_MS && !isNeeded) await rm(path, { force: true });
    }
  }
}
