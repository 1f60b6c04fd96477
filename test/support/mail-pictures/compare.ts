/** Says how unlike two pictures are. They are made smaller first, so that the edges of letters, which machines draw in their own ways, count little. */
import sharp from "sharp";

const SMALLER = 4;
/** Of 255, in one of the three colours. */
const LARGE_DIFFERENCE = 48;

/** Returns the share of the picture that differs, from 0 to 1; 1 where the sizes differ. */
export async function shareThatDiffers(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all([shrink(one), shrink(other)]);
  if (a.info.width !== b.info.width || a.info.height !== b.info.height) return 1;
  const cells = a.info.width * a.info.height;
  let differing = 0;
  for (let cell = 0; cell < cells; cell++) {
    const isUnlike = [0, 1, 2].some((channel) => {
      const at = cell * 3 + channel;
      return Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0)) > LARGE_DIFFERENCE;
    });
    if (isUnlike) differing++;
  }
  return differing / cells;
}

async function shrink(png: Buffer) {
  const { width } = await sharp(png).metadata();
  return sharp(png)
    .removeAlpha()
    .resize({ width: Math.round(width / SMALLER), kernel: "linear" })
    .raw()
    .toBuffer({ resolveWithObject: true });
}
