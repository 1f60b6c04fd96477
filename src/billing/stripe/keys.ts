/** Makes idempotency keys. */
import { createHash } from "node:crypto";

/** The same intent has the same key, so that Stripe does it once however often it is asked. */
export function keyOf(what: string, of: readonly unknown[]): string {
  return `postrider-${what}-${createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 40)}`;
}
