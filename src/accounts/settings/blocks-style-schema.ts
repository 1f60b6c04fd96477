/** How mails made of blocks look: an account says it for all of them, and each mail for itself. */
import { type Static, Type } from "typebox";
import { Colour, oneOf, Pixels, Strict } from "../../platform/http/schemas.ts";

export const FONTS = ["sans", "serif", "mono", "arial", "georgia", "tahoma", "trebuchet", "verdana"] as const;
const Font = oneOf(FONTS);

export const BlocksStyle = Strict(
  {
    width: Type.Optional(Pixels(320, 720, 600)),
    font: Type.Optional(Font),
    heading_font: Type.Optional(Font),
    font_size: Type.Optional(Pixels(13, 22, 16)),
    background: Type.Optional(Colour),
    content_background: Type.Optional(Colour),
    text_colour: Type.Optional(Colour),
    heading_colour: Type.Optional(Colour),
    link_colour: Type.Optional(Colour),
    button_background: Type.Optional(Colour),
    button_colour: Type.Optional(Colour),
    button_radius: Type.Optional(Pixels(0, 40, 6)),
  },
  {
    title: "BlocksStyle",
    "x-as-stored": true,
    description:
      "What a mail leaves out is as the account has it, and what that leaves out as the product has it.",
    examples: [{ heading_font: "serif", button_background: "#1f3a5f" }],
  },
);
export type BlocksStyle = Static<typeof BlocksStyle>;
