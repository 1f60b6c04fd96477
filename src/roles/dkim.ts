import { readFileSync } from "node:fs";
import { type DkimKey, loadDkimKey } from "../mail/dkim/dkim.ts";
import type { Config } from "../platform/config/settings.ts";
import { StartupError } from "../platform/startup-error.ts";

/** Reads the keys that DKIM_KEYS names. One that can't be used stops the start, else mail would leave unsigned unnoticed. */
export function readDkimKeys({ dkimKeys = [] }: Pick<Config, "dkimKeys">): readonly DkimKey[] {
  return dkimKeys.map(({ domain, selector, file }) => {
    const loaded = loadDkimKey({ domain, selector, pem: readKeyFile(file) });
    if (loaded.ok) return loaded.key;
    throw new StartupError(`DKIM_KEYS names ${file} for ${domain}: ${loaded.detail}`, "mend DKIM_KEYS");
  });
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartupError(
      `DKIM_KEYS names ${file}, which can't be read (${(error as NodeJS.ErrnoException).code})`,
      "mend the path, or who may read the file",
    );
  }
}
