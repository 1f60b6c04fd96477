/** How a mail looks where its style says nothing, as the service has it, and the style as the properties that the page draws it by. */
import type { Style } from "./types.ts";

export const LOOKS = {
  width: 600,
  font_size: 16,
  background: "#f1f2f0",
  content_background: "#ffffff",
  text_colour: "#211e1a",
  heading_colour: "#211e1a",
  link_colour: "#0b5c44",
  button_background: "#0b5c44",
  button_colour: "#ffffff",
  button_radius: 6,
} as const;

export const FONT_FAMILIES: Readonly<Record<NonNullable<Style["font"]>, string>> = {
  sans: "Helvetica, Arial, sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
  mono: "'Courier New', Courier, monospace",
  arial: "Arial, sans-serif",
  georgia: "Georgia, serif",
  tahoma: "Tahoma, Verdana, sans-serif",
  trebuchet: "'Trebuchet MS', Tahoma, sans-serif",
  verdana: "Verdana, Tahoma, sans-serif",
};

export function lookProperties(style: Style = {}): Readonly<Record<string, string>> {
  const text = style.text_colour ?? LOOKS.text_colour;
  const font = FONT_FAMILIES[style.font ?? "sans"];
  return {
    "--mail-width": `${style.width ?? LOOKS.width}px`,
    "--mail-font": font,
    "--mail-heading-font": style.heading_font ? FONT_FAMILIES[style.heading_font] : font,
    "--mail-size": `${style.font_size ?? LOOKS.font_size}px`,
    "--mail-around": style.background ?? LOOKS.background,
    "--mail-paper": style.content_background ?? LOOKS.content_background,
    "--mail-ink": text,
    "--mail-heading": style.heading_colour ?? text,
    "--mail-link": style.link_colour ?? LOOKS.link_colour,
    "--mail-button": style.button_background ?? LOOKS.button_background,
    "--mail-on-button": style.button_colour ?? LOOKS.button_colour,
    "--mail-radius": `${style.button_radius ?? LOOKS.button_radius}px`,
  };
}
