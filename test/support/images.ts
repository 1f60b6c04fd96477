/** Real images, honest and hostile, made anew for each test. */
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import type { Reply, TestApp } from "./app.ts";

export type ImageFormat = "png" | "jpeg" | "gif" | "webp";

/** A gradient, so that no two quarters of it look alike. */
export function picture(format: ImageFormat, width = 60, height = 40): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let i = 0; i < pixels.length; i++) pixels[i] = (i * 7 + Math.floor(i / width) * 3) % 256;
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

/** Three frames in three colours, shown three times. */
export async function animation(format: "gif" | "webp"): Promise<Buffer> {
  const frames = await Promise.all(
    ["red", "lime", "blue"].map((background) =>
      sharp({ create: { width: 30, height: 20, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const timing = { delay: [100, 200, 300], loop: 3 };
  const joined = sharp(frames, { join: { animated: true } });
  return (format === "gif" ? joined.gif(timing) : joined.webp(timing)).toBuffer();
}

/** Lies on its side, says who took it and where, and has a profile of wide colours. */
export function photograph(format: "jpeg" | "png" | "webp" = "jpeg"): Promise<Buffer> {
  return sharp({ create: { width: 60, height: 40, channels: 3, background: "teal" } })
    .withExif({
      IFD0: { Artist: "Ada Canary", Copyright: "Ada Canary" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1", GPSAreaInformation: "Ada Canary" },
    })
    .withIccProfile("p3")
    .withMetadata({ orientation: 6 })
    .toFormat(format)
    .toBuffer();
}

/** 30,000 × 30,000 pixels of one bit, valid to its end, in about 110 KB. */
export function hugePng(side = 30_000): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head[8] = 1;
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))), { level: 9 });
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", head),
    pngChunk("IDAT", rows),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.alloc(typed.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  typed.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(typed), typed.length + 4);
  return chunk;
}

/** Each of its frames claims to be of that size, and has the data of one pixel. */
export function gifBomb(width: number, height: number, frames: number): Buffer {
  const head = Buffer.from("GIF89a\0\0\0\0\0\0\0", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const frame = Buffer.from("!\xf9\x04\0\x01\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0", "latin1");
  head.copy(frame, 13, 6, 10);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(";")]);
}

/** An archive without a file in it. */
export const EMPTY_ZIP = Buffer.concat([Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);

/** A JPEG with a comment behind its first two bytes. */
export async function jpegWithComment(comment: string): Promise<Buffer> {
  const jpeg = await picture("jpeg");
  const head = Buffer.from("\xff\xd8\xff\xfe\0\0", "latin1");
  head.writeUInt16BE(comment.length + 2, 4);
  return Buffer.concat([head, Buffer.from(comment, "latin1"), jpeg.subarray(2)]);
}

/** A GIF whose width opens a comment of JavaScript that ends behind the image. */
export function gifScript(): Buffer {
  return Buffer.concat([gifBomb(0x2a2f, 1, 1), Buffer.from("*/=1;alert('canary')//")]);
}

export async function uploadFile(
  app: Pick<TestApp, "baseUrl" | "key">,
  content: Buffer | string,
  { name = "picture.png", type = "image/png", headers = {} as Record<string, string> } = {},
): Promise<Reply> {
  const form = new FormData();
  form.append("file", new Blob([Buffer.from(content)], { type }), name);
  const response = await fetch(`${app.baseUrl}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
}
