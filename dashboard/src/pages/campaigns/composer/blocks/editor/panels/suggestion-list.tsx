/** What is offered for what is typed, below the cursor. The keyboard stays in the editor, which names the one that is chosen. */
import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Controls } from "../controls.ts";
import { chooseSuggestion, type Suggesting } from "../state/suggesting.ts";

type Props = { controls: Controls; suggesting: Suggesting; listId: string };

export function SuggestionList({ controls, suggesting, listId }: Props) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const { view } = controls.editor;
  const { from, index, items, trigger } = suggesting;
  useLayoutEffect(() => {
    const element = list.current;
    const host = element?.parentElement;
    if (!element || !host) return;
    const caret = view.coordsAtPos(from);
    const around = host.getBoundingClientRect();
    const left = Math.min(caret.left - around.left, around.width - element.offsetWidth - 4);
    element.style.left = `${Math.max(0, left)}px`;
    const isRoom = caret.bottom + element.offsetHeight < window.innerHeight;
    const above = caret.top - around.top - element.offsetHeight - 4;
    element.style.insetBlockStart = `${isRoom || above < 0 ? caret.bottom - around.top + 4 : above}px`;
  }, [view, from]);
  useLayoutEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: "nearest" });
  }, [index]);
  const label = t(trigger === "/" ? "blocksEditor.insert.title" : "blocksEditor.insert.variables");
  return (
    <div ref={list} id={listId} className="pop suggestions" role="listbox" aria-label={label}>
      {items.map(({ key, label: name, hint }, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the editor keeps the focus, and names the option.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the editor's.
        <div
          key={key}
          id={`${listId}-${at}`}
          role="option"
          aria-selected={at === index}
          className={at === index ? "opt on" : "opt"}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => chooseSuggestion(view, at)}
        >
          <span>{name}</span>
          {hint && <span className="variable-value xs dim">{hint}</span>}
        </div>
      ))}
    </div>
  );
}
