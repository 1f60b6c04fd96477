/** The borders between columns: they are dragged, or moved by the arrows. */
import { type PointerEvent, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Controls } from "../controls.ts";
import type { Shown } from "../editor-store.ts";
import { LEAST_WIDTH, moveBorder, setWidths, widthsOf } from "../state/columns.ts";
import { blockById } from "../state/find-blocks.ts";
import { followBlock } from "./follow-block.ts";

const STEP = 5;

/** `shown` is what says that widths may have changed. */
type Props = { controls: Controls; id: string; shown: Shown };

export function ColumnBorders({ controls, id }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const { editor } = controls;
  useLayoutEffect(() => {
    if (box.current) return followBlock(editor, id, box.current);
    return undefined;
  }, [editor, id]);
  const found = blockById(editor.state.doc, id);
  if (found?.node.type.name !== "columns") return null;
  const widths = widthsOf(found.node);
  const set = (next: readonly number[]) => controls.change((state) => setWidths(state, id, next));
  return (
    <div ref={box} className="block-overlay column-borders">
      {widths.slice(0, -1).map((width, index) => {
        const start = widths.slice(0, index + 1).reduce((sum, one) => sum + one, 0);
        const next = widths[index + 1] ?? 0;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a rule can't be moved; this is the separator of ARIA that can.
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a border is known by its place.
            key={index}
            role="separator"
            aria-orientation="vertical"
            tabIndex={0}
            className="column-border"
            style={{ insetInlineStart: `${start}%` }}
            aria-label={t("blocksEditor.border", { number: index + 1 })}
            aria-valuemin={LEAST_WIDTH}
            aria-valuemax={Math.round(width + next - LEAST_WIDTH)}
            aria-valuenow={Math.round(width)}
            aria-valuetext={t("blocksEditor.borderValue", {
              left: Math.round(width),
              right: Math.round(next),
            })}
            onKeyDown={(event) => {
              const by = event.key === "ArrowLeft" ? -STEP : event.key === "ArrowRight" ? STEP : 0;
              if (event.key === "Escape") editor.view.focus();
              if (by === 0) return;
              event.preventDefault();
              set(moveBorder(widths, index, by));
            }}
            onPointerDown={(event) => drag(event, { widths, index, set })}
          />
        );
      })}
    </div>
  );
}

type Dragged = {
  readonly widths: readonly number[];
  readonly index: number;
  readonly set: (widths: readonly number[]) => void;
};

/** The widths are set once, when the border is let go, so that one step takes it back. */
function drag(event: PointerEvent<HTMLDivElement>, { widths, index, set }: Dragged): void {
  const border = event.currentTarget;
  const whole = border.parentElement?.clientWidth ?? 1;
  const isReversed = getComputedStyle(border).direction === "rtl";
  event.preventDefault();
  border.setPointerCapture(event.pointerId);
  const from = event.clientX;
  const movedTo = (x: number) =>
    moveBorder(widths, index, ((isReversed ? from - x : x - from) / whole) * 100);
  const show = ({ clientX }: globalThis.PointerEvent) => {
    const start = movedTo(clientX)
      .slice(0, index + 1)
      .reduce((sum, one) => sum + one, 0);
    border.style.insetInlineStart = `${start}%`;
  };
  border.addEventListener("pointermove", show);
  const end = ({ clientX, type }: globalThis.PointerEvent) => {
    border.removeEventListener("pointermove", show);
    border.removeEventListener("pointerup", end);
    border.removeEventListener("pointercancel", end);
    if (type === "pointerup") set(movedTo(clientX));
  };
  border.addEventListener("pointerup", end);
  border.addEventListener("pointercancel", end);
}
