/** A few blocks as they would look, while the style is chosen. */
import { useTranslation } from "react-i18next";
import { FONT_FAMILIES } from "../../campaigns/composer/blocks/document/looks.ts";
import { colourOf, type Font, pixelsOf, type Typed } from "./style.ts";

const familyOf = (name: string): string => FONT_FAMILIES[(name || "sans") as Font];

export function Sample({ typed }: { typed: Typed }) {
  const { t } = useTranslation();
  const fontSize = pixelsOf(typed, "font_size", 16, 22);
  const text = { color: colourOf(typed, "text_colour"), fontFamily: familyOf(typed.font), fontSize };
  const heading = {
    color: colourOf(typed, "heading_colour"),
    fontFamily: familyOf(typed.heading_font || typed.font),
  };
  const button = {
    background: colourOf(typed, "button_background"),
    color: colourOf(typed, "button_colour"),
    borderRadius: pixelsOf(typed, "button_radius", 6, 40),
    fontSize: fontSize - 1,
  };
  return (
    <section className="stack" aria-label={t("mailStyle.sample")}>
      <h3>{t("mailStyle.sample")}</h3>
      <div className="style-page" style={{ background: colourOf(typed, "background") }}>
        <div
          className="style-mail"
          style={{
            ...text,
            background: colourOf(typed, "content_background"),
            maxWidth: pixelsOf(typed, "width", 600, 720),
          }}
        >
          <p className="style-title" style={heading}>
            {t("mailStyle.sampleTitle")}
          </p>
          <p>
            {t("mailStyle.sampleText")}
            <span className="style-link" style={{ color: colourOf(typed, "link_colour") }}>
              {t("mailStyle.sampleLink")}
            </span>
            .
          </p>
          <span className="style-button" style={button}>
            {t("mailStyle.sampleButton")}
          </span>
        </div>
      </div>
    </section>
  );
}
