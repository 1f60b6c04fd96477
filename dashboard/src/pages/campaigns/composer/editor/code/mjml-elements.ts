/**
 * The elements of MJML with their attributes, for completion; a test holds them against the compiler that the service uses.
 * An attribute that takes one of a few values has them behind "=".
 */
import type { TagSpec } from "@codemirror/lang-html";

const ATTRIBUTES: Readonly<Record<string, string>> = {
  "mj-body": "width background-color id",
  "mj-head": "",
  "mj-attributes": "",
  "mj-breakpoint": "width",
  "mj-html-attributes": "",
  "mj-font": "name href",
  "mj-preview": "",
  "mj-style": "inline",
  "mj-title": "",
  "mj-hero":
    "mode height background-url background-width background-height background-position border-radius " +
    "inner-background-color inner-padding inner-padding-top inner-padding-left inner-padding-right " +
    "inner-padding-bottom padding padding-bottom padding-left padding-right padding-top background-color " +
    "vertical-align=top|bottom|middle",
  "mj-button":
    "align=left|center|right background-color border-bottom border-left border-radius border-right " +
    "border-top border color container-background-color font-family font-size font-style font-weight " +
    "height href name title inner-padding letter-spacing line-height padding-bottom padding-left " +
    "padding-right padding-top padding rel target text-decoration text-transform " +
    "vertical-align=top|bottom|middle text-align=left|right|center width",
  "mj-column":
    "background-color border border-bottom border-left border-radius border-right border-top " +
    "direction=ltr|rtl inner-background-color padding-bottom padding-left padding-right padding-top " +
    "inner-border inner-border-bottom inner-border-left inner-border-radius inner-border-right " +
    "inner-border-top padding vertical-align=top|bottom|middle width",
  "mj-divider":
    "border-color border-style border-width container-background-color padding padding-bottom " +
    "padding-left padding-right padding-top width align=left|center|right",
  "mj-group": "background-color direction=ltr|rtl vertical-align=top|bottom|middle width",
  "mj-image":
    "alt href name src srcset sizes title rel align=left|center|right border border-bottom border-left " +
    "border-right border-top border-radius container-background-color fluid-on-mobile=true|false padding " +
    "padding-bottom padding-left padding-right padding-top target width height max-height font-size " +
    "usemap",
  "mj-raw": "position=file-start",
  "mj-section":
    "background-color background-url background-repeat=repeat|no-repeat background-size " +
    "background-position background-position-x background-position-y border border-bottom border-left " +
    "border-radius border-right border-top direction=ltr|rtl full-width=full-width|false gutter padding " +
    "padding-top padding-bottom padding-left padding-right text-align=left|center|right text-padding",
  "mj-spacer":
    "border border-bottom border-left border-right border-top container-background-color padding-bottom " +
    "padding-left padding-right padding-top padding height",
  "mj-text":
    "align=left|right|center|justify background-color color container-background-color font-family " +
    "font-size font-style font-weight height letter-spacing line-height padding-bottom padding-left " +
    "padding-right padding-top padding text-decoration text-transform vertical-align=top|bottom|middle",
  "mj-table":
    "align=left|right|center border cellpadding cellspacing container-background-color color font-family " +
    "font-size font-weight line-height padding-bottom padding-left padding-right padding-top padding " +
    "role=none|presentation table-layout=auto|fixed|initial|inherit vertical-align=top|bottom|middle " +
    "width",
  "mj-wrapper":
    "background-color background-url background-repeat=repeat|no-repeat background-size " +
    "background-position background-position-x background-position-y border border-bottom border-left " +
    "border-radius border-right border-top direction=ltr|rtl full-width=full-width|false gutter padding " +
    "padding-top padding-bottom padding-left padding-right text-align=left|center|right text-padding gap",
  "mj-social":
    "align=left|right|center border border-radius container-background-color color font-family font-size " +
    "font-style font-weight icon-size icon-height icon-padding inner-padding line-height " +
    "mode=horizontal|vertical padding-bottom padding-left padding-right padding-top padding " +
    "table-layout=auto|fixed text-padding text-decoration vertical-align=top|bottom|middle",
  "mj-social-element":
    "align=left|center|right icon-position=left|right background-color color border border-radius " +
    "font-family font-size font-style font-weight href icon-size icon-height icon-padding line-height " +
    "name padding-bottom padding-left padding-right padding-top padding text-padding rel src srcset sizes " +
    "alt title target text-decoration vertical-align=top|middle|bottom",
  "mj-navbar":
    "align=left|center|right base-url hamburger ico-align=left|center|right ico-open ico-close ico-color " +
    "ico-font-size ico-font-family ico-text-transform ico-padding ico-padding-left ico-padding-top " +
    "ico-padding-right ico-padding-bottom padding padding-left padding-top padding-right padding-bottom " +
    "ico-text-decoration ico-line-height",
  "mj-navbar-link":
    "color font-family font-size font-style font-weight href name target rel letter-spacing line-height " +
    "padding-bottom padding-left padding-right padding-top padding text-decoration text-transform",
  "mj-accordion":
    "container-background-color border font-family icon-align=top|middle|bottom icon-width icon-height " +
    "icon-wrapped-url icon-wrapped-alt icon-unwrapped-url icon-unwrapped-alt icon-position=left|right " +
    "padding-bottom padding-left padding-right padding-top padding",
  "mj-accordion-element":
    "background-color border font-family icon-align=top|middle|bottom icon-width icon-height " +
    "icon-wrapped-url icon-wrapped-alt icon-unwrapped-url icon-unwrapped-alt icon-position=left|right",
  "mj-accordion-text":
    "background-color font-size font-family font-weight letter-spacing line-height color padding-bottom " +
    "padding-left padding-right padding-top padding",
  "mj-accordion-title":
    "background-color color font-size font-family font-weight padding-bottom padding-left padding-right " +
    "padding-top padding",
  "mj-carousel":
    "align=left|center|right border-radius container-background-color icon-width left-icon padding " +
    "padding-top padding-bottom padding-left padding-right right-icon thumbnails=visible|hidden|supported " +
    "tb-border tb-border-radius tb-hover-border-color tb-selected-border-color tb-width",
  "mj-carousel-image":
    "alt href rel target title src thumbnails-src border-radius tb-border tb-border-radius",
};

const CHILDREN: Readonly<Record<string, string>> = {
  mjml: "mj-body mj-head mj-raw",
  "mj-accordion": "mj-accordion-element mj-raw",
  "mj-accordion-element": "mj-accordion-title mj-accordion-text mj-raw",
  "mj-body": "mj-raw mj-section mj-wrapper mj-hero",
  "mj-carousel": "mj-carousel-image",
  "mj-column":
    "mj-accordion mj-button mj-carousel mj-divider mj-image mj-raw mj-social mj-spacer mj-table mj-text " +
    "mj-navbar",
  "mj-html-attributes": "",
  "mj-group": "mj-column mj-raw",
  "mj-head": "mj-attributes mj-breakpoint mj-html-attributes mj-font mj-preview mj-style mj-title mj-raw",
  "mj-hero":
    "mj-accordion mj-button mj-carousel mj-divider mj-image mj-social mj-spacer mj-table mj-text " +
    "mj-navbar mj-raw",
  "mj-navbar": "mj-navbar-link mj-raw",
  "mj-section": "mj-column mj-group mj-raw",
  "mj-social": "mj-social-element mj-raw",
  "mj-wrapper": "mj-hero mj-raw mj-section",
};

/** What every element may have. */
const COMMON = "css-class mj-class";
const NAMES = Object.keys(ATTRIBUTES);

/** Where HTML is written, MJML's own elements aren't offered. */
const IN_TEXT = "a b br div em h1 h2 h3 i img li ol p span strong table tbody td th tr u ul".split(" ");

export const mjmlTags: Record<string, TagSpec> = Object.fromEntries(
  ["mjml", ...NAMES].map((name) => [
    name,
    {
      attrs: attributesOf(name),
      globalAttrs: false,
      children: name === "mj-attributes" ? ["mj-all", "mj-class", ...NAMES] : childrenOf(name),
    },
  ]),
);

function childrenOf(name: string): readonly string[] {
  return CHILDREN[name]?.split(" ") ?? IN_TEXT;
}

function attributesOf(name: string): Record<string, null | readonly string[]> {
  const written = `${name === "mjml" ? "lang dir=ltr|rtl|auto" : (ATTRIBUTES[name] ?? "")} ${COMMON}`;
  return Object.fromEntries(
    written
      .trim()
      .split(/\s+/)
      .map((one) => {
        const [attribute = "", values] = one.split("=");
        return [attribute, values?.split("|") ?? null];
      }),
  );
}
