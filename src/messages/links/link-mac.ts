/**
 * HMAC-SHA-256 (RFC 2104) over data of one length. Each mail and each click needs one: two hashes of prepared blocks take 1.4 µs
 * where `createHmac` takes 3, and leave no object to collect.
 */
import { hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** Returns what makes the MAC of `dataBytes` bytes, as a string of bytes ("latin1"). */
export function createMac(key: Uint8Array, dataBytes: number): (data: Uint8Array) => string {
  if (key.length > BLOCK_BYTES) throw new TypeError("the key is longer than a block");
  const inner = Buffer.alloc(BLOCK_BYTES + dataBytes);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at++) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return (data) => {
    if (data.length !== dataBytes)
      throw new TypeError(`${dataBytes} bytes were expected, not ${data.length}`);
    inner.set(data, BLOCK_BYTES);
    outer.write(hash("sha256", inner, "latin1"), BLOCK_BYTES, "latin1");
    return hash("sha256", outer, "latin1");
  };
}
