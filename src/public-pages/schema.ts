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

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

export const PageWordsParams = Strict({
  locale: Type.String({ description: "A language that this installation has.", examples: ["de"] }),
});
export const PageWordsResource = Type.Object(
  {
    object: Type.Literal("page_words"),
    locale: Type.String(),
    direction: Type.Unsafe<"ltr" | "rtl">({ type: "string", enum: ["ltr", "rtl"] }),
    texts: Texts("The account's own texts, by key; other keys have the standard text."),
    standard: Texts("The standard text of every key, with its `{places}`."),
  },
  { title: "PageWords" },
);
export type PageWordsResource = Static<typeof PageWordsResource>;

export const PageLocales = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          object: Type.Literal("page_locale"),
          locale: Type.String(),
          direction: Type.Unsafe<"ltr" | "rtl">({ type: "string", enum: ["ltr", "rtl"] }),
          own_texts: Type.Integer({ description: "How many texts of it the account has changed." }),
        },
        { title: "PageLocale" },
      ),
    ),
  },
  { title: "PageLocales" },
);
export type PageLocales = Static<typeof PageLocales>;

export const PageWordsInput = Strict(
  {
    texts: Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 2_000 }), {
      maxProperties: 1_000,
      description:
        "All of the account's own texts: what isn't here has the standard text again. Each is one line of plain text, at most 1,000 " +
        "characters, with exactly the `{places}` of the standard text.",
    }),
  },
  { title: "PageWordsInput", examples: [{ texts: { "ask.button": "Stop these letters" } }] },
);
