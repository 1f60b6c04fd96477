/**
 * This rule finds text that is hard to read on its background, where both colours are stated on the elements
 * themselves.
 */

import { contrastOf, formatColour } from "../reading/reading.ts";
import type { Rule } from "./rule.ts";

export const contrastRules: readonly Rule[] = [
  {
    code: "low_contrast",
    severity: "warning",
    remedy: "Darken the one or lighten the other until the contrast is 4.5:1 (3:1 for large text).",
    *find({ faintTexts }) {
      for (const { offset, colour, background } of faintTexts) {
        const ratio = Math.floor(contrastOf(colour, background) * 10) / 10;
        const pair = `${formatColour(colour)} on ${formatColour(background)}`;
        yield {
          message: `The text is hard to read: ${pair} is a contrast of ${ratio}:1.`,
          at: { part: "html", offset },
        };
      }
    },
  },
];
