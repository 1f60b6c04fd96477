/** Makes the editor once, and gives it what changes later. */
import type { Editor } from "@tiptap/core";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../../../i18n/format.ts";
import { notify } from "../../../../../kit/toasts.tsx";
import type { BlocksEditorProps } from "./blocks-editor-props.ts";
import { type Controls, createControls, type Open, placeOf, type Said } from "./controls.ts";
import { createStore, type ShownKind } from "./editor-store.ts";
import { type EditorHost, makeEditor } from "./make-editor.ts";
import type { EditorWords } from "./schema/words.ts";
import { createReporter, type Reporter } from "./state/reporting.ts";
import { keepLettersInside } from "./state/typing.ts";
import { useSuggestions } from "./use-suggestions.ts";
import { useEditorWords } from "./use-words.ts";

type Places = {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly toolbar: RefObject<HTMLDivElement | null>;
  readonly hintId: string;
  readonly listId: string;
  readonly setOpen: (open: Open | undefined) => void;
  readonly say: (text: string) => void;
};

export type Made = { readonly controls: Controls; readonly reporter: Reporter };

export function useBlocksEditor(props: BlocksEditorProps, places: Places): Made | undefined {
  const { document, variables, nameOf, isLocked } = props;
  const { t } = useTranslation();
  const words = useEditorWords(nameOf);
  const [made, setMade] = useState<Made>();
  const latest = useRef(props);
  latest.current = props;
  const suggest = useSuggestions(variables, made?.controls);
  const isTold = useRef(false);
  const hosted = useRef<Omit<EditorHost, "announce">>(undefined);
  hosted.current = {
    openSettings: () => {
      const isVariable = made?.controls.store.snapshot().variable !== undefined;
      places.setOpen({ kind: isVariable ? "words" : "settings" });
    },
    focusToolbar: () => places.toolbar.current?.querySelector("button")?.focus(),
    askForLink: () => places.setOpen({ kind: "ask", what: "link" }),
    onPictures: (files) => places.setOpen({ kind: "pictures", files }),
    notice({ kind, count }) {
      if (kind === "picturesLeftOut") notify(t("blocksEditor.paste.picturesLeftOut", { count }));
      else if (kind === "tooLong") notify(t("blocksEditor.paste.tooLong", { number: formatNumber(count) }));
      else if (kind === "nothing") notify(t("blocksEditor.paste.nothing"));
      else if (!isTold.current) {
        // Nearly all that is pasted has its own fonts, so it is said once.
        isTold.current = true;
        notify(t("blocksEditor.paste.stylesLeftOut"));
      }
    },
    suggest,
  };
  const announcing = useRef((_editor: Editor, _said: Said, _kind?: ShownKind) => {});
  announcing.current = (editor, said, given) => {
    const { chosen } = made?.controls.store.snapshot() ?? {};
    const kind = t(`blocksEditor.kinds.${given ?? chosen?.kind ?? "text"}`);
    places.say(t(`blocksEditor.said.${said}`, { ...placeOf(editor.state), kind }));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; what changes later is given to it below.
  useEffect(() => {
    const element = places.host.current;
    if (!element) return;
    const reporter = createReporter(latest.current.document, (told) => latest.current.onChange(told));
    const editor: Editor = makeEditor({
      element,
      document: latest.current.document,
      words,
      host: {
        openSettings: () => hosted.current?.openSettings(),
        focusToolbar: () => hosted.current?.focusToolbar(),
        askForLink: () => hosted.current?.askForLink(),
        onPictures: (files) => hosted.current?.onPictures(files),
        notice: (what) => hosted.current?.notice(what),
        suggest: (trigger, query) => hosted.current?.suggest(trigger, query) ?? [],
        announce: (said) => announcing.current(editor, said),
      },
      reporter,
      isEditable: !isLocked,
      label: t("blocksEditor.label"),
      hintId: places.hintId,
      listId: places.listId,
    });
    const store = createStore(editor);
    const controls = createControls(editor, store, {
      setOpen: places.setOpen,
      announce: (said, kind) => announcing.current(editor, said, kind),
      words: () => ({
        unsubscribe: t("composer.blocks.unsubscribe"),
        preferences: t("composer.blocks.preferences"),
      }),
    });
    const dom = editor.view.dom;
    keepLettersInside(dom);
    dom.addEventListener("blur", reporter.flush);
    // A key of the page, such as the one that saves, must find what was typed just before it.
    const beforeKey = (event: KeyboardEvent) => void ((event.metaKey || event.ctrlKey) && reporter.flush());
    dom.addEventListener("keydown", beforeKey, true);
    dom.addEventListener("focus", () => element.parentElement?.classList.add("is-used"), { once: true });
    setMade({ controls, reporter });
    return () => {
      reporter.flush();
      editor.destroy();
    };
  }, [isLocked]);

  useEffect(() => made?.reporter.take(document), [document, made]);
  useEffect(() => made && renameChips(made.controls.editor, nameOf, words), [made, nameOf, words]);
  return made;
}

/** What variables are called comes later than the mail. The editor takes no notice of what changes within a chip. */
function renameChips({ view }: Editor, nameOf: (variable: string) => string, words: EditorWords): void {
  for (const chip of view.dom.querySelectorAll<HTMLElement>(".var")) {
    const { name = "", fallback } = chip.dataset;
    if (nameOf(name) !== name) chip.textContent = words.variable(name, fallback ?? null);
  }
}
