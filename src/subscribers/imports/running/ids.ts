import { randomFillSync } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";

/**
 * Makes UUIDv7s of one moment that ascend, so that rows keep the order of their file: a counter leads the random bits
 * (RFC 9562 §6.2).
 */
export function ascendingIds(clock: Clock, count: number): string[] {
  const bytes = randomFillSync(Buffer.allocUnsafe(16 * count));
  const now = clock.now().getTime();
  return Array.from({ length: count }, (_, index) => {
    const at = 16 * index;
    bytes.writeUIntBE(now, at, 6);
    bytes.writeUInt16BE(0x7000 | ((index >> 14) & 0x0fff), at + 6);
    bytes.writeUInt16BE(0x8000 | (index & 0x3fff), at + 8);
    const hex = bytes.toString("hex", at, at + 16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  });
}
