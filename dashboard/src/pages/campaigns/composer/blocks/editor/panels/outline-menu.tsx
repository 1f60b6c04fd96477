/** The outline of the mail, by which one goes from block to block. */
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../../../kit/icon.tsx";
import { Popup } from "../../../../../../kit/overlays/popup.tsx";
import { isKind } from "../../document/kinds.ts";
import { outlineOf } from "../../outline.ts";
import type { Controls } from "../controls.ts";
import { goToBlock } from "../state/block-commands.ts";
import { documentOf } from "../state/document-of.ts";
import { KIND_ICONS } from "./kind-icons.ts";

type Props = { controls: Controls; anchor: RefObject<HTMLButtonElement | null>; onClose: () => void };

export function OutlineMenu({ controls, anchor, onClose }: Props) {
  const { t } = useTranslation();
  const lines = outlineOf(documentOf(controls.editor.state.doc));
  const go = (id: string) => {
    onClose();
    // The window gives the focus back to its button first.
    setTimeout(() => controls.act((state) => goToBlock(state, id), "chosen"));
  };
  return (
    <Popup
      anchor={anchor}
      label={t("blocksEditor.outline.title")}
      className="outline-menu"
      align="end"
      onClose={onClose}
    >
      {lines.length === 0 && <p className="sm dim">{t("blocksEditor.outline.none")}</p>}
      <ol>
        {lines.map(({ id, type, words, isInColumn }) => {
          const kind = isKind(type) ? type : "kept";
          return (
            <li key={id} className={isInColumn ? "in-column" : undefined}>
              <button type="button" className="opt" onClick={() => go(id)}>
                <Icon of={KIND_ICONS[kind]} size="sm" />
                <span className="med">{t(`blocksEditor.kinds.${kind}`)}</span>
                <span className="trunc dim" dir="auto">
                  {words}
                </span>
                {isInColumn && <span className="sr">{t("blocksEditor.outline.inColumn")}</span>}
              </button>
            </li>
          );
        })}
      </ol>
    </Popup>
  );
}
