/** How this mail looks: fonts, colours, the shape of buttons and its width. */
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { SelectField } from "../../../../../../kit/forms/field.tsx";
import { Popup } from "../../../../../../kit/overlays/popup.tsx";
import { FONT_FAMILIES, LOOKS } from "../../document/looks.ts";
import type { Style } from "../../document/types.ts";
import type { Controls } from "../controls.ts";
import type { Shown } from "../editor-store.ts";
import { ColourField, NumberField } from "../settings/fields.tsx";
import { setHead } from "../state/block-commands.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  /** What the mail looks like where it says nothing of its own. */
  accountStyle: Style;
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

const FONTS = Object.keys(FONT_FAMILIES) as readonly NonNullable<Style["font"]>[];
const COLOURS = [
  "background",
  "content_background",
  "text_colour",
  "heading_colour",
  "link_colour",
  "button_background",
  "button_colour",
] as const;

export function StylePanel({ controls, shown, accountStyle, anchor, onClose }: Props) {
  const { t } = useTranslation();
  const style = (shown.head["style"] ?? {}) as Style;
  const usual = { ...LOOKS, ...accountStyle };
  const put = (next: Style | null) =>
    controls.change((state) => {
      const { style: _style, ...head } = state.doc.attrs["head"] as Record<string, unknown>;
      return setHead(state, next && Object.keys(next).length > 0 ? { ...head, style: next } : head);
    });
  const set = (patch: { readonly [K in keyof Style]?: Style[K] | null }) =>
    put(Object.fromEntries(Object.entries({ ...style, ...patch }).filter(([, value]) => value !== null)));
  const fonts = FONTS.map((value) => ({
    value: value as string,
    label: t(`blocksEditor.style.fonts.${value}`),
  }));
  const fontOf = (value: string) => FONTS.find((font) => font === value) ?? null;
  return (
    <Popup
      anchor={anchor}
      label={t("blocksEditor.style.title")}
      className="block-settings"
      align="end"
      onClose={onClose}
    >
      <h3 className="flabel">{t("blocksEditor.style.title")}</h3>
      <p className="xs dim">{t("blocksEditor.style.lead")}</p>
      <SelectField
        name="font"
        label={t("blocksEditor.style.font")}
        value={style.font ?? accountStyle.font ?? "sans"}
        options={fonts}
        onChange={(event) => set({ font: fontOf(event.target.value) })}
      />
      <SelectField
        name="heading_font"
        label={t("blocksEditor.style.headingFont")}
        value={style.heading_font ?? accountStyle.heading_font ?? ""}
        options={[{ value: "", label: t("blocksEditor.style.asText") }, ...fonts]}
        onChange={(event) => set({ heading_font: fontOf(event.target.value) })}
      />
      <NumberField
        name="font_size"
        label={t("blocksEditor.style.fontSize")}
        value={style.font_size ?? usual.font_size}
        least={13}
        most={22}
        set={(font_size) => set({ font_size })}
      />
      <NumberField
        name="width"
        label={t("blocksEditor.style.width")}
        value={style.width ?? usual.width}
        least={320}
        most={720}
        set={(width) => set({ width })}
      />
      <NumberField
        name="button_radius"
        label={t("blocksEditor.style.radius")}
        value={style.button_radius ?? usual.button_radius}
        least={0}
        most={40}
        set={(button_radius) => set({ button_radius })}
      />
      {COLOURS.map((name) => (
        <ColourField
          key={name}
          label={t(`blocksEditor.style.colours.${name}`)}
          value={style[name] ?? null}
          preset={usual[name]}
          set={(colour) => set({ [name]: colour })}
        />
      ))}
      <div className="row wrap">
        <Button size="sm" onClick={() => put(null)}>
          {t("blocksEditor.style.account")}
        </Button>
        <Button size="sm" onClick={onClose}>
          {t("blocksEditor.settings.close")}
        </Button>
      </div>
    </Popup>
  );
}
