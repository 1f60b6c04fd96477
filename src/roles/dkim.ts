import { readFileSync } from "node:fs";
import type { InstanceKey } from "../domains/domains.ts";
import { loadDkimKey } from "../mail/dkim/dkim.ts";
import type { DkimKeyFile } from "../platform/config/parse-values.ts";
import type { Config } from "../platform/config/settings.ts";
import { fromPublicId } from "../platform/ids.ts";
import { StartupError } from "../platform/startup-error.ts";

/** Reads the keys that DKIM_KEYS names. One that can't be used stops the start, else mail would leave unsigned unnoticed. */
export function readDkimKeys({ dkimKeys = [] }: Pick<Config, "dkimKeys">): readonly InstanceKey[] {
  return dkimKeys.map(({ domain, selector, file, accounts }) => {
    const loaded = loadDkimKey({ domain, selector, pem: readKeyFile(file) });
    if (loaded.ok) return { key: loaded.key, accounts: idsOf(accounts) };
    throw new StartupError(`DKIM_KEYS names ${file} for ${domain}: ${loaded.detail}`, "mend DKIM_KEYS");
  });
}

function idsOf(accounts: DkimKeyFile["accounts"]): InstanceKey["accounts"] {
  return typeof accounts === "string" ? accounts : accounts.flatMap((id) => fromPublicId("acc", id) ?? []);
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
