/** The editor itself, in a shadow root: there its styles can be adopted, which the page's policy allows. It is loaded apart. */
import { closeCompletion } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useId, useImperativeHandle, useRef } from "react";
import { useTranslation } from "react-i18next";
import { showChecks } from "./code/check-marks.ts";
import { extensionsFor } from "./code/extensions.ts";
import { liquidCompletion } from "./code/liquid-completion.ts";
import { locate } from "./code/locate.ts";
import { createReporter, type Reporter } from "./code/reporting.ts";
import { takingFiles } from "./code/taking-files.ts";
import type { CodeEditorHandle, CodeEditorProps } from "./editor-props.ts";

type Made = { readonly view: EditorView; readonly reporter: Reporter };

export function CodeArea({ ref, ...props }: CodeEditorProps) {
  const { kind, value, checks, readOnly = false } = props;
  const { t } = useTranslation();
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<Made>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const hintId = useId();
  const label = props.label ?? t(`editor.label.${kind}`);
  const hint = t(readOnly ? "editor.readOnlyHint" : "editor.leaveHint");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is made once; what changes later is given to it below.
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const reporter = createReporter(latest.current.value, (text) => latest.current.onChange?.(text));
    const liquidSource = liquidCompletion(() => latest.current.variables, {
      variables: (typed) => (typed === "" ? t("editor.variables") : t("editor.variablesLike", { typed })),
      filters: t("editor.filters"),
      tags: t("editor.tags"),
    });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          extensionsFor({ kind, readOnly, label, hintId, liquidSource }),
          readOnly ? [] : takingFiles((files) => latest.current.onPictures?.(files)),
          reporter.listener,
          EditorView.domEventHandlers({
            blur: reporter.flush,
            // A key of the page, such as the one that saves, must find what was typed just before it.
            keydown: (event) => void ((event.metaKey || event.ctrlKey) && reporter.flush()),
          }),
        ],
      }),
    });
    const said = document.createElement("p");
    said.id = hintId;
    said.hidden = true;
    said.textContent = hint;
    root.append(said);
    made.current = { view, reporter };
    return () => {
      reporter.flush();
      made.current = undefined;
      view.destroy();
      said.remove();
    };
  }, [kind, readOnly, label]);

  useEffect(() => made.current?.reporter.take(made.current.view, value), [value]);

  useEffect(() => {
    const view = made.current?.view;
    if (view) view.dispatch(showChecks(view.state, kind, checks ?? []));
  }, [checks, kind]);

  useImperativeHandle(ref, () => handleOf(made, kind), [kind]);

  return <div className="code-area" ref={host} />;
}

function handleOf(made: { readonly current: Made | undefined }, kind: string): CodeEditorHandle {
  const withView = (act: (view: EditorView) => void) => made.current && act(made.current.view);
  return {
    jumpTo: (place) =>
      withView((view) => {
        const range = locate(view.state.doc, kind, place);
        view.focus();
        if (!range) return;
        const effects = EditorView.scrollIntoView(range.from, { y: "center", x: "nearest" });
        view.dispatch({ selection: { anchor: range.from, head: range.to }, effects });
      }),
    insert: (text) =>
      withView((view) => {
        closeCompletion(view);
        view.focus();
        view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: "input.paste" });
      }),
    focus: () => withView((view) => view.focus()),
    flush: () => made.current?.reporter.flush(),
  };
}
