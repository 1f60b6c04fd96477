/** The middle pane: in which language the mail is written, and the editor; or a text part of its own. */
import { History } from "lucide-react";
import { type RefObject, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import type { Drafting } from "./draft/use-draft.ts";
import { CodeEditor, type CodeEditorHandle } from "./editor/code-editor.tsx";
import { EditorTools } from "./editor/editor-tools.tsx";
import type { MergeNames } from "./editor/use-variables.ts";
import { type Kind, kindOf, SwitchKind } from "./fields/switch-kind.tsx";
import { TextPart } from "./fields/text-part.tsx";

const KINDS = ["mjml", "html"] as const;

type Place = { readonly part?: string; readonly line: number; readonly column: number };

export type ContentHandle = {
  /** Leads to a place in the source or in the text part. */
  readonly show: (place: Place) => void;
  /** Tells the draft what was typed last. */
  readonly flush: () => void;
};

type Props = {
  drafting: Drafting;
  names: MergeNames | undefined;
  isLocked: boolean;
  onVersions: () => void;
  handle: RefObject<ContentHandle | null>;
};

export function Content({ drafting, names, isLocked, onVersions, handle }: Props) {
  const { t } = useTranslation();
  const { draft, campaign, faults, change } = drafting;
  const kind = kindOf(draft);
  const [isText, setText] = useState(false);
  const [wanted, setWanted] = useState<Kind>();
  const [files, setFiles] = useState<readonly File[]>();
  const present = useRef(draft);
  present.current = draft;
  const editor = useRef<CodeEditorHandle>(null);
  /** Where to go once the other editor is there. */
  const next = useRef<Place>(undefined);
  const attach = (made: CodeEditorHandle | null) => {
    editor.current = made;
    if (made && next.current) made.jumpTo(next.current);
    if (made) next.current = undefined;
  };
  useImperativeHandle(handle, () => ({
    flush: () => editor.current?.flush(),
    show(place) {
      const isOfText = place.part === "text" && draft.text !== null;
      if (isOfText === isText) return editor.current?.jumpTo(place);
      next.current = place;
      setText(isOfText);
    },
  }));
  const choose = (chosen: Kind) => {
    editor.current?.flush();
    setText(false);
    if (chosen !== kind) setWanted(chosen);
  };
  const shared = {
    ref: attach,
    checks: campaign.checks,
    variables: names,
    readOnly: isLocked,
    onPictures: setFiles,
  };
  /** An editor that is taken away may still tell what was typed last, when the mail has another language already. */
  const write = (source: string) => {
    if (present.current[kind] !== null) change({ [kind]: source });
  };
  const fault = isText ? faults["text"] : faults[kind];
  return (
    <section className="composer-stage" aria-label={t("composer.content.title")}>
      <div className="composer-tools">
        <fieldset className="seg" aria-label={t("composer.content.kind")}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              disabled={isLocked && one !== kind}
              aria-pressed={!isText && one === kind}
              onClick={() => choose(one)}
            >
              {t(`composer.fields.${one}`)}
            </button>
          ))}
          <button
            type="button"
            aria-pressed={isText}
            onClick={() => {
              editor.current?.flush();
              setText(true);
            }}
          >
            {t("composer.fields.text")}
          </button>
        </fieldset>
        <span className="grow" />
        {!isLocked && (
          <EditorTools
            kind={isText ? "text" : kind}
            editor={editor}
            names={names}
            draft={draft}
            change={change}
            files={files}
            setFiles={setFiles}
          />
        )}
        <Button kind="quiet" size="sm" icon={History} onClick={onVersions}>
          {t("composer.versions.title")}
        </Button>
      </div>
      {isText ? (
        <TextPart drafting={drafting} isLocked={isLocked} editor={shared} />
      ) : (
        <CodeEditor {...shared} kind={kind} value={draft[kind] ?? ""} onChange={write} />
      )}
      {fault && (
        <p className="composer-source-fault" role="alert">
          {fault}
        </p>
      )}
      {wanted && (
        <SwitchKind drafting={drafting} from={kind} to={wanted} onClose={() => setWanted(undefined)} />
      )}
    </section>
  );
}
