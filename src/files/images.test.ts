import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import sharp from "sharp";
import {
  animation,
  EMPTY_ZIP,
  gifBomb,
  gifScript,
  hugePng,
  jpegWithComment,
  photograph,
  picture,
} from "../../test/support/images.ts";
import { AppError } from "../platform/problems.ts";
import { makeImage } from "./images.ts";

async function refusal(upload: Buffer): Promise<string> {
  const error = await makeImage(upload).then(
    () => assert.fail("it was taken"),
    (thrown) => thrown,
  );
  assert.ok(error instanceof AppError, error);
  assert.equal(error.problem.code, "invalid_image");
  return error.message;
}

describe("an image", () => {
  for (const format of ["png", "jpeg", "gif", "webp"] as const) {
    it(`is encoded anew as it came: ${format}`, async () => {
      const upload = await picture(format);
      const made = await makeImage(upload);
      assert.deepEqual([made.contentType, made.width, made.height], [`image/${format}`, 60, 40]);
      const read = await sharp(made.content).metadata();
      assert.deepEqual([read.format, read.width, read.height], [format, 60, 40]);
      const before = await sharp(upload).greyscale().stats();
      const after = await sharp(made.content).greyscale().stats();
      const off = Math.abs((before.channels[0]?.mean ?? 0) - (after.channels[0]?.mean ?? 255));
      assert.ok(off < 4, `${off} of 255 brighter or darker`);
    });
  }

  for (const format of ["gif", "webp"] as const) {
    it(`stays animated, with its timing: ${format}`, async () => {
      const made = await makeImage(await animation(format));
      assert.deepEqual([made.width, made.height], [30, 20]);
      const { pages, delay, loop } = await sharp(made.content).metadata();
      assert.deepEqual({ pages, delay, loop }, { pages: 3, delay: [100, 200, 300], loop: 3 });
    });
  }

  for (const format of ["jpeg", "png", "webp"] as const) {
    it(`stands upright and says nothing of who took it, where, and with what: ${format}`, async () => {
      const upload = await photograph(format);
      assert.ok(upload.includes("Ada Canary"), "the test's own image has no metadata");
      const made = await makeImage(upload);
      assert.deepEqual([made.width, made.height], [40, 60]);
      assert.ok(!made.content.includes("Ada Canary"));
      const { exif, icc, xmp, iptc, orientation, comments } = await sharp(made.content).metadata();
      assert.deepEqual(
        { exif, icc, xmp, iptc, orientation, comments },
        {
          exif: undefined,
          icc: undefined,
          xmp: undefined,
          iptc: undefined,
          orientation: undefined,
          comments: undefined,
        },
      );
    });
  }

  it("of few colours keeps every pixel as it is", async () => {
    const colours = [0, 40, 90, 200, 255];
    const pixels = Buffer.from(Array.from({ length: 64 * 64 * 4 }, (_, i) => colours[(i * 31) % 5] ?? 0));
    const raw = { width: 64, height: 64, channels: 4 } as const;
    const upload = await sharp(pixels, { raw }).png({ palette: true, quality: 100, dither: 0 }).toBuffer();
    const { content } = await makeImage(upload);
    const seen = async (image: Buffer) => (await sharp(image).ensureAlpha().raw().toBuffer()).toString("hex");
    assert.equal(await seen(content), await seen(upload));
  });
});

describe("what is no image is refused", () => {
  const whole: Record<string, () => Promise<Buffer>> = {
    png: () => picture("png"),
    jpeg: () => picture("jpeg"),
    gif: () => picture("gif"),
    webp: () => picture("webp"),
    "animated gif": () => animation("gif"),
    "animated webp": () => animation("webp"),
  };
  for (const [what, make] of Object.entries(whole)) {
    it(`when it breaks off: ${what}`, async () => {
      const image = await make();
      for (const bytes of [4, 12, 30, image.length >> 1, image.length - 20]) {
        assert.match(await refusal(image.subarray(0, bytes)), /breaks off|is no PNG/, `${bytes} bytes`);
      }
    });
  }

  const hostile: readonly [what: string, make: () => Promise<Buffer> | Buffer, why: RegExp][] = [
    ["nothing at all", () => Buffer.alloc(0), /empty/],
    ["text", () => Buffer.from("an image, honestly"), /is no PNG/],
    [
      "an SVG",
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      /is no PNG/,
    ],
    ["an SVG behind the signature of a GIF", () => Buffer.from("GIF89a<svg xmlns='x'/>"), /breaks off/],
    ["a BMP", () => Buffer.from("BM\x46\0\0\0\0\0\0\0\x36\0\0\0"), /is no PNG/],
    ["a PNG with rubbish in it", damagedPng, /damaged/],
    ["a PNG of 30,000 × 30,000 pixels", () => hugePng(), /30000 × 30000/],
    ["a PNG of 8,000 × 8,000 pixels", () => hugePng(8_000), /25 million/],
    ["an animation of 25 billion pixels", () => gifBomb(5_000, 5_000, 1_000), /1000 frames of 5000/],
    ["an animation of 100,000 frames", () => gifBomb(1, 1, 100_000), /100000 frames/],
    ["a GIF of 65,535 × 65,535 pixels", () => gifBomb(65_535, 65_535, 1), /65535 × 65535/],
    ["a GIF that is a script", gifScript, /a script/],
    ["a JPEG that is a ZIP", async () => Buffer.concat([await picture("jpeg"), EMPTY_ZIP]), /a ZIP archive/],
    ["a JPEG with a page in its comment", () => jpegWithComment("<html><script>alert(1)</script>"), /HTML/],
    ["a JPEG with a PDF in its comment", () => jpegWithComment("%PDF-1.7"), /a PDF/],
  ];
  for (const [what, make, why] of hostile) {
    it(what, async () => {
      assert.match(await refusal(await make()), why);
    });
  }
});

test("what hides in an image that is taken does not outlive the encoding", async () => {
  const canary = "canary of 24 characters!";
  for (const upload of [
    await jpegWithComment(canary),
    Buffer.concat([await picture("png"), Buffer.from(canary)]),
    Buffer.concat([await picture("gif"), Buffer.from(canary)]),
    Buffer.concat([await picture("jpeg"), Buffer.from(canary)]),
  ]) {
    assert.ok(!(await makeImage(upload)).content.includes(canary));
  }
});

test("a PNG of 900 million pixels takes no memory", async () => {
  const bomb = hugePng();
  const before = process.memoryUsage.rss();
  await refusal(bomb);
  const taken = process.memoryUsage.rss() - before;
  assert.ok(taken < 50e6, `${taken} bytes`);
});

/** The middle is overwritten. */
async function damagedPng(): Promise<Buffer> {
  const image = await picture("png", 200, 150);
  return image.fill(0x5a, image.length >> 1, (image.length >> 1) + 400);
}
