/**
 * Finds where a run of the tests keeps its files. Each test has a database of its own, which is some 1,700 files: on a
 * disk, ext4 without a journal above all, these cost up to 600 ms of the processor's time, in memory 20 ms.
 */
import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  globSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "postrider-test-";
/** A whole run takes at most 2 GB there; a container may have only 64 MB of it, and memory is needed for more. */
const NEEDED_BYTES = 6 * 2 ** 30;
/** No run lasts this long, and one that was killed has left its folder behind. */
const ABANDONED_MS = 3 * 3_600_000;

/** Makes a folder for temporary files, in memory where there is plenty and programs may run from it. */
export function makeQuickFolder(): string {
  return (hasRoom() && makeFolder(MEMORY)) || (makeFolder(tmpdir()) as string);
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    removeAbandoned();
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

function removeAbandoned(): void {
  const before = Date.now() - ABANDONED_MS;
  for (const folder of globSync(join(MEMORY, `${PREFIX}*`)))
    if (statSync(folder).mtimeMs < before) rmSync(folder, { recursive: true, force: true });
}

/** Returns undefined where programs may not run from it: an embedded server runs from a copy of its own when we are root. */
function makeFolder(parent: string): string | undefined {
  const folder = mkdtempSync(join(parent, PREFIX));
  // As /tmp: the user as whom that server then runs must reach its files.
  chmodSync(folder, 0o1777);
  if (parent !== MEMORY) return folder;
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(status === 0 ? program : folder, { recursive: true });
  return status === 0 ? folder : undefined;
}
