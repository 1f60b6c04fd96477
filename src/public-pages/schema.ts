import { type Static, Type } from "typebox";
import { Nullable, Strict } from "../platform/http/schemas.ts";

const Colour = Type.String({
  pattern: "^#[0-9A-Fa-f]{6}$",
  "x-error-detail": "must be a colour such as #1f3a5f",
  examples: ["#1f3a5f"],
});

export const BrandingPreviewQuery = Strict({ colour: Type.Optional(Colour) });

const Theme = Type.Object({
  sheet: Type.String({ description: "The ground of the page." }),
  text: Type.String({ description: "The words of the page itself." }),
  button: Type.String({ description: "The ground of the main button." }),
  button_text: Type.String(),
  button_edge: Type.String(),
  mark: Type.String({ description: "Ticks and focus rings." }),
  contrast: Type.Number({ description: "Of the button's words on its ground, from 1 to 21; 4.5 is needed." }),
});
export const BrandingPreview = Type.Object(
  {
    object: Type.Literal("branding_preview"),
    colour: Nullable(Type.String()),
    light: Theme,
    dark: Theme,
  },
  { title: "BrandingPreview" },
);
export type BrandingPreview = Static<typeof BrandingPreview>;
