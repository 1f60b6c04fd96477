/** These rules look at images: whether they have an alternative text, can be loaded, and keep their size. */

import type { RuleFault } from "../message.ts";
import { countShown, type Image } from "../reading/reading.ts";
import type { Rule } from "./rule.ts";

const MANY_IMAGES = 30;
/**
 * A ratio of characters to square pixels below which SpamAssassin counts a mail as mostly image
 * (HTML_IMAGE_RATIO_02).
 */
const TEXT_TO_IMAGE = 0.002;

export const imageRules: readonly Rule[] = [
  {
    code: "missing_alt",
    severity: "warning",
    remedy: 'Describe the picture in alt, or write alt="" where it is only decoration.',
    find: ({ images }) =>
      faultsOf(images, ({ alt }) =>
        alt === null ? "The picture has no alt text: where it isn't loaded nothing takes its place." : null,
      ),
  },
  {
    code: "missing_image_width",
    severity: "warning",
    remedy: "State the width as an attribute, in pixels and without a unit.",
    find: ({ images }) =>
      faultsOf(images, ({ hasWidth }) =>
        hasWidth
          ? null
          : "The picture states no width: Outlook shows it in its full size and breaks the layout.",
      ),
  },
  {
    code: "missing_image_source",
    severity: "warning",
    remedy: "Give the picture its address, or remove it.",
    find: ({ images }) =>
      faultsOf(images, ({ src }) =>
        src === "" || src === "#" ? "The picture has no address, so there is nothing to show." : null,
      ),
  },
  {
    code: "unreachable_image",
    severity: "warning",
    remedy: "Give the whole address, beginning with https://.",
    find: ({ images }) => faultsOf(images, ({ src }) => findUnreachable(src)),
  },
  {
    code: "insecure_image",
    severity: "warning",
    remedy: "Write https:// where the server has it.",
    find: ({ images }) =>
      faultsOf(images, ({ src }) =>
        /^http:\/\//i.test(src) ? "The picture is loaded over http, which several clients block." : null,
      ),
  },
  {
    code: "many_images",
    severity: "info",
    remedy: "Use fewer pictures, or send less at once.",
    *find({ images }) {
      if (images.length <= MANY_IMAGES) return;
      yield {
        message: `The mail loads ${images.length.toLocaleString("en")} pictures, which is slow on a telephone.`,
      };
    },
  },
  {
    code: "image_heavy",
    severity: "info",
    remedy: "Say more in text, or show smaller pictures.",
    *find({ images, visible }) {
      const area = images.reduce((sum, { widthPx, heightPx }) => sum + (widthPx ?? 0) * (heightPx ?? 0), 0);
      if (area === 0 || countShown(visible.text) / area >= TEXT_TO_IMAGE) return;
      yield {
        message: "There is little text for so large pictures, which spam filters count against a mail.",
      };
    },
  },
];

function findUnreachable(src: string): string | null {
  if (src === "" || src === "#" || /^(?:https?:\/\/|cid:|data:)/i.test(src)) return null;
  return /^file:|^[a-z]:\\/i.test(src)
    ? "The picture lies on a disk that no recipient has."
    : "The picture's address isn't whole, and a mail has no site to complete it from.";
}

function* faultsOf(images: readonly Image[], judge: (image: Image) => string | null): Iterable<RuleFault> {
  for (const image of images) {
    const message = judge(image);
    if (message !== null) yield { message, at: { part: "html", offset: image.offset } };
  }
}
