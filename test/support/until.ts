import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a condition instead of a fixed time. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it did not happen within ${timeoutMs} ms`);
    await sleep(20);
  }
}
