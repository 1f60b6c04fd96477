/**
 * This frozen reference makes bare RSA signatures in Node's thread pool, as many at once as asked, with no message,
 * canonical form or header. It imports nothing of ours. Given a number of seconds, it signs for so long and says how
 * many it made. Usage: bare-sign.ts KEY_FILE CONCURRENCY
 */
import { createPrivateKey, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const [, , keyFile = "", concurrencyText = "8"] = process.argv;
const key = createPrivateKey(readFileSync(keyFile));
const data = randomBytes(256);

process.on("message", async (seconds) => {
  const startedMs = performance.now();
  const untilMs = startedMs + Number(seconds) * 1_000;
  const counts = await Promise.all(
    Array.from({ length: Number(concurrencyText) }, () => keepSigning(untilMs)),
  );
  const units = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ units, seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");

function keepSigning(untilMs: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  const next = () => {
    if (performance.now() >= untilMs) return resolve(count);
    sign("sha256", data, key, (error) => {
      if (error) return reject(error);
      count++;
      next();
    });
  };
  next();
  return promise;
}
