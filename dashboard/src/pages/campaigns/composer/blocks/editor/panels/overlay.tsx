/** What stands around the chosen block: its toolbar, the grip by which it is dragged, and the plus behind it. */
import { NodeSelection } from "@tiptap/pm/state";
import { GripVertical } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../../../kit/icon.tsx";
import type { Controls } from "../controls.ts";
import type { Chosen, Shown } from "../editor-store.ts";
import { selectBlock } from "../state/block-commands.ts";
import { blockById } from "../state/find-blocks.ts";
import { moveBlock } from "../state/move-block.ts";
import { ColumnBorders } from "./column-borders.tsx";
import { followBlock } from "./follow-block.ts";
import { InsertMenu } from "./insert-menu.tsx";
import { BlockToolbar } from "./toolbar.tsx";
import type { SectionList } from "./use-sections.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  chosen: Chosen;
  sections: SectionList;
  toolbar: RefObject<HTMLDivElement | null>;
  settings: RefObject<HTMLButtonElement | null>;
  words: RefObject<HTMLButtonElement | null>;
};

export function BlockOverlay({ controls, shown, chosen, sections, toolbar, settings, words }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const { editor } = controls;
  useLayoutEffect(() => {
    if (box.current) return followBlock(editor, chosen.id, box.current);
    return undefined;
  }, [editor, chosen.id]);
  const kind = t(`blocksEditor.kinds.${chosen.kind}`);
  return (
    <>
      <div ref={box} className="block-overlay">
        <BlockToolbar
          controls={controls}
          shown={shown}
          chosen={chosen}
          handle={toolbar}
          settings={settings}
          words={words}
        />
        <button
          type="button"
          className="block-grip"
          draggable
          title={t("blocksEditor.toolbar.drag", { kind })}
          aria-label={t("blocksEditor.toolbar.drag", { kind })}
          onDragStart={(event) => beginDrag(event, controls, chosen.id)}
          onDragEnd={() => {
            editor.view.dragging = null;
          }}
          onClick={() => choose(controls, chosen.id)}
          onKeyDown={(event) => moveByKey(event, controls)}
        >
          <Icon of={GripVertical} size="sm" />
        </button>
        <InsertMenu controls={controls} kind={kind} sections={sections} />
      </div>
      {chosen.columnsId !== undefined && (
        <ColumnBorders controls={controls} id={chosen.columnsId} shown={shown} />
      )}
    </>
  );
}

function choose({ act }: Controls, id: string): void {
  act((state) => {
    const found = blockById(state.doc, id);
    return found && selectBlock(state, found.pos);
  });
}

/** The editor itself moves what is dropped; it only has to know what is dragged. */
function beginDrag(event: DragEvent, { editor }: Controls, id: string): void {
  const { view } = editor;
  const found = blockById(view.state.doc, id);
  if (!found) return;
  const selection = NodeSelection.create(view.state.doc, found.pos);
  view.dispatch(view.state.tr.setSelection(selection));
  view.dragging = { slice: selection.content(), move: true };
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", found.node.textContent);
  const dom = view.nodeDOM(found.pos);
  if (dom instanceof HTMLElement) event.dataTransfer.setDragImage(dom, 0, 0);
}

function moveByKey(event: KeyboardEvent, { change, announce }: Controls): void {
  const direction = event.key === "ArrowUp" ? "up" : event.key === "ArrowDown" ? "down" : undefined;
  if (!direction) return;
  event.preventDefault();
  change((state) => moveBlock(state, direction));
  announce(direction === "up" ? "movedUp" : "movedDown");
}
