/** A field of one line whose Liquid shows as chips. It is a small CodeMirror: its text is the source, so copying and undoing are. */
import { history, historyKeymap } from "@codemirror/commands";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import { keysBesideThePage } from "../editor/code/page-keys.ts";
import { type ChipWords, chips } from "./chips.ts";

export type LiquidLineHandle = { readonly insert: (source: string) => void; readonly focus: () => void };

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  words: ChipWords;
  /** The source as it is, without chips. */
  isSource: boolean;
  isReadOnly: boolean;
  /** What is wrong with it; it is said to screen readers with the field. */
  fault: string | undefined;
  handle: RefObject<LiquidLineHandle | null>;
};

/** Liquid's own line ends mean nothing in a subject, and a mail's header has none. */
const oneLine: Extension = [
  EditorView.clipboardInputFilter.of((text) => text.replaceAll(/\s*[\r\n]+\s*/g, " ")),
  EditorState.transactionFilter.of((change) => (change.newDoc.lines > 1 ? [] : change)),
];

const look = EditorView.theme({
  "&": { font: "inherit", color: "inherit", background: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "inherit", lineHeight: "1.35rem", overflow: "visible" },
  ".cm-content": { padding: "0", caretColor: "var(--ink)", overflowWrap: "anywhere" },
  ".cm-line": { padding: "0" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-chip": {
    font: "500 0.82em var(--font)",
    background: "var(--accent-soft)",
    color: "var(--on-accent-soft)",
    borderRadius: "var(--r-sm)",
    padding: "1px 6px",
    whiteSpace: "nowrap",
    border: "1px solid transparent",
  },
  ".cm-chip-word": {
    position: "absolute",
    width: "1px",
    height: "1px",
    overflow: "hidden",
    clipPath: "inset(50%)",
  },
});

export default function LiquidLine(props: Props) {
  const { label, value, onChange, words, isSource, isReadOnly, fault, handle } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changing = useRef(onChange);
  changing.current = onChange;
  const parts = useRef({ chips: new Compartment(), about: new Compartment() });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; what changes is put into it below.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    // In a tree of its own its styles are adopted sheets, which the page's policy allows; style elements are not.
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          history(),
          keymap.of([{ key: "Enter", run: () => true }, ...historyKeymap, ...keysBesideThePage]),
          EditorView.lineWrapping,
          oneLine,
          look,
          parts.current.chips.of([]),
          parts.current.about.of([]),
          placeholder(""),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) changing.current(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = undefined;
    };
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.chips.reconfigure(isSource ? [] : chips(words)) });
  }, [isSource, words]);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.about.reconfigure(about({ label, fault, isReadOnly })) });
  }, [label, fault, isReadOnly]);
  useEffect(() => {
    const doc = view.current?.state.doc.toString();
    if (doc !== undefined && doc !== value)
      view.current?.dispatch({
        changes: { from: 0, to: doc.length, insert: value.replaceAll(/[\r\n]+/g, " ") },
      });
  }, [value]);
  useImperativeHandle(handle, () => ({
    insert: (source) => {
      const { current } = view;
      current?.dispatch(current.state.replaceSelection(source));
      current?.focus();
    },
    focus: () => view.current?.focus(),
  }));
  return <div ref={host} className="liquid-line" data-invalid={fault ? "" : undefined} />;
}

function about({
  label,
  fault,
  isReadOnly,
}: {
  label: string;
  fault: string | undefined;
  isReadOnly: boolean;
}): Extension {
  return [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": fault ? `${label}. ${fault}` : label,
      "aria-multiline": "false",
      ...(fault && { "aria-invalid": "true" }),
    }),
  ];
}
