/** More for the words that are selected: marks that are used less, lists, colours, and what a variable says where it is empty. */
import { toggleMark } from "@tiptap/pm/commands";
import { IndentDecrease, IndentIncrease, List, ListOrdered, Strikethrough, Underline } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { Popup } from "../../../../../../kit/overlays/popup.tsx";
import { COLOUR, LIQUID_TEXT } from "../../document/rules.ts";
import type { Controls } from "../controls.ts";
import type { Shown } from "../editor-store.ts";
import { CheckedField } from "../settings/fields.tsx";
import { shiftItems, toggleList } from "../state/lists.ts";
import { setColour, setFallback } from "../state/word-commands.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

export function WordsPopup({ controls, shown, anchor, onClose }: Props) {
  const { t } = useTranslation();
  const marks = shown.marks.split(" ");
  const toggle = (name: "underline" | "strike") => {
    const { view, schema } = controls.editor;
    const type = schema.marks[name];
    if (type) toggleMark(type)(view.state, view.dispatch);
  };
  const isText = shown.chosen?.kind === "text";
  return (
    <Popup
      anchor={anchor}
      label={t("blocksEditor.toolbar.more")}
      className="block-settings"
      align="end"
      onClose={onClose}
    >
      {shown.variable && <Fallback controls={controls} shown={shown} />}
      <div className="row wrap">
        <Button
          size="sm"
          icon={Underline}
          aria-pressed={marks.includes("underline")}
          onClick={() => toggle("underline")}
        >
          {t("blocksEditor.toolbar.underline")}
        </Button>
        <Button
          size="sm"
          icon={Strikethrough}
          aria-pressed={marks.includes("strike")}
          onClick={() => toggle("strike")}
        >
          {t("blocksEditor.toolbar.strike")}
        </Button>
      </div>
      {isText && <Lists controls={controls} shown={shown} />}
      <label className="colour-field">
        <span className="flabel">{t("blocksEditor.toolbar.colour")}</span>
        <input
          type="color"
          value={shown.colour && COLOUR.test(shown.colour) ? shown.colour : "#000000"}
          onChange={(event) => controls.change((state) => setColour(state, event.target.value))}
        />
      </label>
      {shown.colour && (
        <Button size="sm" onClick={() => controls.change((state) => setColour(state, null))}>
          {t("blocksEditor.toolbar.noColour")}
        </Button>
      )}
      <Button size="sm" onClick={onClose}>
        {t("blocksEditor.settings.close")}
      </Button>
    </Popup>
  );
}

function Lists({ controls, shown }: Pick<Props, "controls" | "shown">) {
  const { t } = useTranslation();
  return (
    <div className="row wrap">
      <Button
        size="sm"
        icon={List}
        aria-pressed={shown.list === "bullet"}
        onClick={() => controls.change((state) => toggleList(state, "bullet"))}
      >
        {t("blocksEditor.toolbar.bullet")}
      </Button>
      <Button
        size="sm"
        icon={ListOrdered}
        aria-pressed={shown.list === "ordered"}
        onClick={() => controls.change((state) => toggleList(state, "ordered"))}
      >
        {t("blocksEditor.toolbar.ordered")}
      </Button>
      {shown.list !== undefined && (
        <>
          <Button
            size="sm"
            icon={IndentIncrease}
            onClick={() => controls.change((state) => shiftItems(state, 1))}
          >
            {t("blocksEditor.toolbar.deeper")}
          </Button>
          <Button
            size="sm"
            icon={IndentDecrease}
            onClick={() => controls.change((state) => shiftItems(state, -1))}
          >
            {t("blocksEditor.toolbar.higher")}
          </Button>
        </>
      )}
    </div>
  );
}

function Fallback({ controls, shown }: Pick<Props, "controls" | "shown">) {
  const { t } = useTranslation();
  return (
    <CheckedField
      name="fallback"
      label={t("blocksEditor.settings.fallback")}
      value={String(shown.variable?.["fallback"] ?? "")}
      check={(text) =>
        LIQUID_TEXT.test(text) && text.length <= 200 ? undefined : t("blocksEditor.settings.textFault")
      }
      set={(fallback) => controls.change((state) => setFallback(state, fallback || null))}
    />
  );
}
