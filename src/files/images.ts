/**
 * Images, decoded and encoded anew by libvips (`sharp`): what is kept is the picture and nothing else that was in the file.
 * The size is read from the head before a pixel is decoded.
 */
import type { Metadata, Sharp } from "sharp";
import { AppError } from "../platform/problems.ts";
import { FORMATS, type Format, faultOfContent } from "./content-rules.ts";
import { invalidImageBecause } from "./problems.ts";

export const MOST_BYTES = 10 * 1_024 * 1_024;
/**
 * Of one frame. The dearest images of this size are a JPEG in CMYK, with 350 MB while it is decoded, and a WebP, with 5 s of a
 * core. A telephone's photographs have 12 to 24 million.
 */
const MOST_PIXELS = 25_000_000;
/** Of all frames together, which are decoded one after the other: 60 MB and 6 s. */
const MOST_PIXELS_OF_FRAMES = 40_000_000;
/** Of one side. No mail shows more, and decoders are weakest where one side is huge. */
const LONGEST_SIDE = 10_000;
const MOST_FRAMES = 1_000;
const WITHIN_SECONDS = 30;

export type MadeImage = {
  readonly content: Buffer;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
};

/** Throws `invalid_image` with the reason. */
export async function makeImage(upload: Buffer): Promise<MadeImage> {
  const fault = faultOfContent(upload);
  if (fault) throw invalidImageBecause(fault);
  const sharp = await loadSharp();
  try {
    const head = await sharp(upload, { limitInputPixels: false }).metadata();
    const { format, frames } = checkHead(head);
    const isAnimated = frames > 1;
    const decoded = sharp(upload, {
      animated: isAnimated,
      limitInputPixels: isAnimated ? MOST_PIXELS_OF_FRAMES : MOST_PIXELS,
      failOn: "error",
    }).timeout({ seconds: WITHIN_SECONDS });
    // Frames of an animation lie below each other in memory, and can't be turned there.
    const upright = isAnimated ? decoded : decoded.autoOrient();
    const { data, info } = await encode(upright, format, head).toBuffer({ resolveWithObject: true });
    if (data.length > MOST_BYTES)
      throw invalidImageBecause("the image is over 10 MB once it is encoded anew");
    const height = info.pageHeight ?? info.height;
    return { content: data, contentType: `image/${format}`, width: info.width, height };
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(error as Error);
  }
}

function checkHead(head: Metadata): { format: Format; frames: number } {
  const { width, height, pages: frames = 1 } = head;
  const format = FORMATS.find((one) => one === head.format);
  if (!format) throw invalidImageBecause("the file is no PNG, JPEG, GIF or WebP");
  if (Math.max(width, height) > LONGEST_SIDE) {
    throw invalidImageBecause(`the image is ${width} × ${height} pixels; a side has at most 10,000`);
  }
  if (frames > MOST_FRAMES)
    throw invalidImageBecause(`the animation has ${frames} frames; at most 1,000 are taken`);
  if (width * height > MOST_PIXELS) {
    throw invalidImageBecause(`the image is ${width} × ${height} pixels; at most 25 million are taken`);
  }
  if (width * height * frames > MOST_PIXELS_OF_FRAMES) {
    const all = `${frames} frames of ${width} × ${height} pixels`;
    throw invalidImageBecause(`the animation has ${all}; at most 40 million in all are taken`);
  }
  return { format, frames };
}

/** In the format it came in; sharp writes no metadata unless it is asked to, and converts colours to sRGB. */
function encode(image: Sharp, format: Format, head: Metadata): Sharp {
  switch (format) {
    case "png":
      // An image of at most 256 colours stays one: it has no more than those, so nothing is lost.
      return image.png({ compressionLevel: 9, ...(head.isPalette && { palette: true, dither: 0 }) });
    case "jpeg":
      return image.jpeg({ quality: 85 });
    case "gif":
      return image.gif();
    case "webp":
      // With less effort it takes half the time, and 3% more bytes.
      return image.webp({ quality: 85, effort: 2 });
  }
}

/** libvips's own words name its functions; what they come to is one of these. */
function unreadable({ message }: Error): AppError {
  if (/timeout/i.test(message))
    return invalidImageBecause(`the image takes over ${WITHIN_SECONDS} s to decode`);
  if (/pixel limit/i.test(message)) return invalidImageBecause("the image has too many pixels");
  return invalidImageBecause("the image is damaged or breaks off before its end");
}

let loading: Promise<typeof import("sharp").default> | undefined;

/** When the first image comes: loading it takes 150 ms and 25 MB, which a process without uploads does without. */
function loadSharp() {
  loading ??= import("sharp").then(({ default: sharp }) => {
    // One thread for each image and nothing kept between them, so that memory is bounded by what is decoded at once.
    sharp.concurrency(1);
    sharp.cache(false);
    // The other decoders (SVG, PDF, TIFF, HEIF and more) can't be reached, whatever a file pretends to be.
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({
      operation: ["Png", "Jpeg", "Nsgif", "Webp"].map((name) => `VipsForeignLoad${name}Buffer`),
    });
    return sharp;
  });
  return loading;
}
