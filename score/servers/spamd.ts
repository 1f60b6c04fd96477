/** Runs SpamAssassin's daemon with the rules that Debian brings along, and without any test that asks the network. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { findPort, findPrograms, type Running, start, stop, untilListening } from "./processes.ts";

const PROGRAM = "/usr/sbin/spamd";

/** Returns a line that says why it can't run here; none where it can. */
export function whyNoSpamd(): string[] {
  return existsSync(PROGRAM) ? [] : ["spamd isn't here (apt-get install spamd): left out"];
}

export async function startSpamd(folder: string): Promise<Running> {
  const port = await findPort();
  mkdirSync(folder);
  const args = [
    "--local",
    "--nouser-config",
    `--listen=127.0.0.1:${port}`,
    "--username=nobody",
    `--helper-home-dir=${folder}`,
    "--max-children=1",
    `--syslog=${join(folder, "log")}`,
  ];
  const child = start(findPrograms(folder, [PROGRAM]), PROGRAM, args, {});
  await untilListening(port, child);
  return { port, stop: () => stop(child) };
}
