/** Shows beforehand what becomes of a colour, since the public pages change one on which words couldn't be read. */
import { type Route, readRoute } from "../platform/http/route.ts";
import { type BrandColours, brandColours, contrast } from "./brand-colours.ts";
import { BrandingPreview, BrandingPreviewQuery } from "./schema.ts";
import { inks, ownColours, sheets } from "./style.ts";

export const brandingRoutes: readonly Route[] = [
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
