/** The middle pane: in which language the mail is written, and the editor; or a text part of its own. */
import { Blocks, History } from "lucide-react";
import { memo, type RefObject, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { BlocksContent, type BlocksEditorHandle } from "./blocks/blocks-content.tsx";
import type { ContentDrafting } from "./draft/use-envelope.ts";
import { CodeEditor, type CodeEditorHandle } from "./editor/code-editor.tsx";
import { EditorTools, StarterTool } from "./editor/editor-tools.tsx";
import type { MergeNames } from "./editor/use-variables.ts";
import { ChangeKind } from "./fields/change-kind.tsx";
import { kindOf } from "./fields/switch-kind.tsx";
import { TextPart } from "./fields/text-part.tsx";

const KINDS = ["blocks", "mjml", "html"] as const;

type Place = { readonly part?: string; readonly line: number; readonly column: number };

export type ContentHandle = {
  /** Leads to a place in the source or in the text part. */
  readonly show: (place: Place) => void;
  /** Tells the draft what was typed last. */
  readonly flush: () => void;
};

type Props = {
  drafting: ContentDrafting;
  names: MergeNames | undefined;
  isLocked: boolean;
  /** Opens the earlier versions, where they are kept. */
  onVersions?: () => void;
  handle: RefObject<ContentHandle | null>;
};

export const Content = memo(function Content({ drafting, names, isLocked, onVersions, handle }: Props) {
  const { t } = useTranslation();
  const { draft, campaign, faults, change } = drafting;
  const { blocks } = draft;
  const kind = kindOf(draft);
  const [isText, setText] = useState(false);
  const [wanted, setWanted] = useState<(typeof KINDS)[number]>();
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const [files, setFiles] = useState<readonly File[]>();
  const present = useRef(draft);
  present.current = draft;
  const editor = useRef<CodeEditorHandle>(null);
  const blocksEditor = useRef<BlocksEditorHandle>(null);
  const flush = () => {
    editor.current?.flush();
    blocksEditor.current?.flush();
  };
  /** Where to go once the other editor is there. */
  const next = useRef<Place>(undefined);
  const attach = (made: CodeEditorHandle | null) => {
    editor.current = made;
    if (made && next.current) made.jumpTo(next.current);
    if (made) next.current = undefined;
  };
  useImperativeHandle(handle, () => ({
    flush,
    show(place) {
      const isOfText = place.part === "text" && draft.text !== null;
      if (!isOfText && blocks !== null) {
        setText(false);
        return blocksEditor.current?.jumpTo(place);
      }
      if (isOfText === isText) return editor.current?.jumpTo(place);
      next.current = place;
      setText(isOfText);
    },
  }));
  const shownKind = blocks === null ? kind : "blocks";
  const choose = (chosen: (typeof KINDS)[number]) => {
    flush();
    setText(false);
    if (chosen !== shownKind) setWanted(chosen);
  };
  const close = () => setWanted(undefined);
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
  const fault = isText ? faults["text"] : faultOf(faults, shownKind);
  return (
    <section className="composer-stage" aria-label={t("composer.content.title")}>
      <div className="composer-tools">
        <fieldset className="seg" aria-label={t("composer.content.kind")}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              disabled={isLocked && one !== shownKind}
              aria-pressed={!isText && one === shownKind}
              onClick={() => choose(one)}
            >
              {one === "blocks" && <Icon of={Blocks} size="sm" />}
              {t(`composer.fields.${one}`)}
            </button>
          ))}
          <button
            type="button"
            aria-pressed={isText}
            onClick={() => {
              flush();
              setText(true);
            }}
          >
            {t("composer.fields.text")}
          </button>
        </fieldset>
        <span className="grow" />
        <span ref={setTools} className="blocks-tools" hidden={isText || blocks === null} />
        {!isLocked && blocks !== null && !isText && (
          <StarterTool draft={draft} change={change} flush={flush} />
        )}
        {!isLocked && (blocks === null || isText) && (
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
        {onVersions && (
          <Button kind="quiet" size="sm" icon={History} onClick={onVersions}>
            {t("composer.versions.title")}
          </Button>
        )}
      </div>
      {isText ? (
        <TextPart drafting={drafting} isLocked={isLocked} editor={shared} />
      ) : blocks === null ? (
        <CodeEditor {...shared} kind={kind} value={draft[kind] ?? ""} onChange={write} />
      ) : null}
      {blocks !== null && (
        <BlocksContent
          document={blocks}
          onChange={(written) => present.current.blocks !== null && change({ blocks: written })}
          names={names}
          isLocked={isLocked}
          isHidden={isText}
          tools={tools}
          convert={() => choose("mjml")}
          handle={blocksEditor}
        />
      )}
      {fault && (
        <p className="composer-source-fault" role="alert">
          {fault}
        </p>
      )}
      {wanted && <ChangeKind drafting={drafting} from={kind} to={wanted} onClose={close} />}
    </section>
  );
});

/** A fault deep in the blocks is a fault of the content too. */
export function faultOf(faults: Readonly<Record<string, string>>, kind: string): string | undefined {
  const [name] = Object.keys(faults).filter((one) => one === kind || one.startsWith(`${kind}.`));
  return name === undefined ? undefined : faults[name];
}
