/** Checks that only the document of a mail made of blocks can answer: its HTML doesn't tell what nobody has said from what isn't there. */
import { findGaps } from "../../content/content.ts";
import type { Message } from "../message.ts";
import type { Check } from "../schema.ts";
import { placeOf } from "./block-places.ts";

/** The rest of a kind is one check with their count. */
const SHOWN = 10;

const SAID = {
  missing_alt: {
    message: "The picture has no alt text: where it isn't loaded nothing takes its place.",
    remedy: "Describe the picture, or say that it is only decoration.",
  },
  empty_link: {
    message: "The button leads nowhere: the product has no link.",
    remedy: "Give the product its link, or take the words of its button out.",
  },
} as const;

export function checkBlocks({ blocks }: Pick<Message, "blocks">): Check[] {
  const gaps = blocks === null ? [] : findGaps(blocks);
  return (["missing_alt", "empty_link"] as const).flatMap((code) => {
    const numbers = gaps.filter((gap) => gap.code === code).map(({ number }) => number);
    const common = { code, severity: "warning", remedy: SAID[code].remedy } as const;
    const checks = numbers
      .slice(0, SHOWN)
      .map((number): Check => ({ ...common, message: SAID[code].message, place: placeOf(number), count: 1 }));
    const more = numbers.length - checks.length;
    const rest: Check = {
      ...common,
      message: `There are ${more} more of this kind.`,
      place: null,
      count: more,
    };
    return more > 0 ? [...checks, rest] : checks;
  });
}
