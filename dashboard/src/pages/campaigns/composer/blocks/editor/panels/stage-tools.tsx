/** What stands above the editor: the way back and forth, the outline and the style. */
import { redo, undo } from "@tiptap/pm/history";
import { ListTree, Palette, Redo2, Undo2 } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import type { Controls } from "../controls.ts";
import type { Shown } from "../editor-store.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  style: RefObject<HTMLButtonElement | null>;
  outline: RefObject<HTMLButtonElement | null>;
};

export function StageTools({ controls, shown, style, outline }: Props) {
  const { t } = useTranslation();
  const step = (command: typeof undo, said: "undone" | "redone") => () => {
    const { view } = controls.editor;
    command(view.state, view.dispatch);
    view.focus();
    controls.announce(said);
  };
  return (
    <>
      <Button
        kind="quiet"
        size="sm"
        icon={Undo2}
        aria-label={t("blocksEditor.undo")}
        title={t("blocksEditor.undo")}
        disabled={!shown.canUndo}
        onClick={step(undo, "undone")}
      />
      <Button
        kind="quiet"
        size="sm"
        icon={Redo2}
        aria-label={t("blocksEditor.redo")}
        title={t("blocksEditor.redo")}
        disabled={!shown.canRedo}
        onClick={step(redo, "redone")}
      />
      <Button
        ref={outline}
        kind="quiet"
        size="sm"
        icon={ListTree}
        aria-label={t("blocksEditor.outline.title")}
        title={t("blocksEditor.outline.title")}
        onClick={() => controls.setOpen({ kind: "outline" })}
      >
        <span className="tool-word">{t("blocksEditor.outline.title")}</span>
      </Button>
      <Button
        ref={style}
        kind="quiet"
        size="sm"
        icon={Palette}
        aria-label={t("blocksEditor.style.title")}
        title={t("blocksEditor.style.title")}
        onClick={() => controls.setOpen({ kind: "style" })}
      >
        <span className="tool-word">{t("blocksEditor.style.title")}</span>
      </Button>
    </>
  );
}
