import { setTimeout as sleep } from "node:timers/promises";

/** Long enough for the slowest machine: whoever waits in vain has failed, and whoever doesn't loses nothing by it. */
const PATIENCE_MS = 90_000;

/** Waits for a condition instead of a fixed time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it did not happen within ${timeoutMs} ms`);
    await sleep(20);
  }
}
