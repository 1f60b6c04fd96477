/** Memory to write a relaxed form into. Making some for each message took as long as filling it, at 10 KB. */
const kept = Buffer.allocUnsafeSlow(256 * 1_024);

/** To be read before the next call, which may give the same memory again. */
export function borrowMemory(bytes: number): Buffer {
  return bytes <= kept.length ? kept : Buffer.allocUnsafeSlow(bytes);
}
