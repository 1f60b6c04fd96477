/** What an account may say about its public pages: their words, and beforehand what becomes of a colour. */
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { type BrandColours, brandColours, contrast } from "./document/brand-colours.ts";
import { inks, ownColours, sheets } from "./document/style.ts";
import type { Locales } from "./locales/locales.ts";
import { textsOf } from "./locales/words.ts";
import { countOwnWords, getOwnWords, type OwnWords, replaceOwnWords } from "./own-words.ts";
import {
  BrandingPreview,
  BrandingPreviewQuery,
  PageLocales,
  PageWordsInput,
  PageWordsParams,
  PageWordsResource,
} from "./schema.ts";

export function publicPageRoutes({ locales }: { readonly locales: Locales }): readonly Route[] {
  return [...brandingRoutes, ...wordsRoutes(locales)];
}

function wordsRoutes(locales: Locales): readonly Route[] {
  return [
    readRoute({
      path: "/v1/page_words",
      scope: "account:read",
      tag: "Account",
      summary: "List the languages of public pages",
      success: { status: 200, schema: PageLocales, description: "The languages." },
      async handler({ ctx }) {
        const body: PageLocales = {
          data: (await countOwnWords(ctx, locales)).map(({ locale, direction, ownTexts }) => ({
            object: "page_locale",
            locale,
            direction,
            own_texts: ownTexts,
          })),
        };
        return { status: 200, body };
      },
    }),
    readRoute({
      path: "/v1/page_words/:locale",
      scope: "account:read",
      tag: "Account",
      summary: "Get the words of public pages",
      params: PageWordsParams,
      success: { status: 200, schema: PageWordsResource, description: "The words in this language." },
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: shapeWords(await getOwnWords(ctx, locales, params.locale)),
      }),
    }),
    writeRoute({
      method: "PUT",
      path: "/v1/page_words/:locale",
      scope: "account:write",
      audit: { action: "page_words.updated", of: "account" },
      tag: "Account",
      summary: "Replace the account's own words of public pages",
      description: "They hold for every public page of the account in this language, at once.",
      params: PageWordsParams,
      body: PageWordsInput,
      success: { status: 200, schema: PageWordsResource, description: "The words in this language." },
      handler: async ({ ctx, params, body }) => ({
        status: 200,
        body: shapeWords(await replaceOwnWords(ctx, locales, params.locale, body.texts)),
      }),
    }),
  ];
}

function shapeWords({ locale, words, texts }: OwnWords): PageWordsResource {
  const { direction } = words;
  return { object: "page_words", locale, direction, texts: { ...texts }, standard: { ...textsOf(words) } };
}

const brandingRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/branding_preview",
    scope: "account:read",
    tag: "Account",
    summary: "Preview the colour of public pages",
    description:
      "What the public pages would make of a colour, in light and in dark, and how well words on it could be read (WCAG 2.2). Without " +
      "`colour` it is what pages look like that have none.",
    query: BrandingPreviewQuery,
    success: { status: 200, schema: BrandingPreview, description: "The colours of both themes." },
    async handler({ query: { colour } }) {
      const { light, dark } = brandColours(colour ?? null, sheets) ?? ownColours;
      const body: BrandingPreview = {
        object: "branding_preview",
        colour: colour?.toLowerCase() ?? null,
        light: shape(light, sheets.light, inks.light),
        dark: shape(dark, sheets.dark, inks.dark),
      };
      return { status: 200, body };
    },
  }),
];

function shape(colours: BrandColours, sheet: string, text: string): BrandingPreview["light"] {
  const { ground, onGround, edge, mark } = colours;
  return {
    sheet,
    text,
    button: ground,
    button_text: onGround,
    button_edge: edge,
    mark,
    contrast: Math.round(contrast(ground, onGround) * 10) / 10,
  };
}
