/** Relaxed forms are written into this buffer. Allocating one for each message took as long as filling it, at 10 KB. */
const shared = Buffer.allocUnsafeSlow(256 * 1_024);

/** The result must be read before the next call, which may return the same buffer. */
export function borrowBuffer(bytes: number): Buffer {
  return bytes <= shared.length ? shared : Buffer.allocUnsafeSlow(bytes);
}
