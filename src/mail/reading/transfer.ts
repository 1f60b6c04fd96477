/** Undoes the Content-Transfer-Encoding (RFC 2045 §6) without ever failing. */

export function decodeTransfer(body: Buffer, encoding: string | undefined): Buffer {
  switch ((encoding ?? "").trim().toLowerCase()) {
    case "base64":
      return decodeBase64(body);
    case "quoted-printable":
      return decodeQuoted(body);
    default:
      return body;
  }
}

/** Node skips characters outside the alphabet, and ends at the first padding. */
export function decodeBase64(body: Buffer): Buffer {
  return Buffer.from(body.toString("latin1"), "base64");
}

const EQUALS = 0x3d;
const LF = 0x0a;
const CR = 0x0d;

/** An equals sign that begins no escape stands for itself (RFC 2045 §6.7, note on robust decoders). */
export function decodeQuoted(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte !== EQUALS) {
      out[length++] = byte;
      continue;
    }
    if (body[at + 1] === LF) at += 1;
    else if (body[at + 1] === CR && body[at + 2] === LF) at += 2;
    else {
      const [high, low] = [hexValue(body[at + 1]), hexValue(body[at + 2])];
      if (high < 0 || low < 0) out[length++] = byte;
      else {
        out[length++] = high * 16 + low;
        at += 2;
      }
    }
  }
  return out.subarray(0, length);
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
