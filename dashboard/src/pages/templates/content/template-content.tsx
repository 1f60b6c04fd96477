/** The middle pane: the source in its language, a text part of its own, or the variables. */
import { Blocks, History, ImagePlus } from "lucide-react";
import { type RefObject, Suspense, useCallback, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../api/openapi.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { BlocksContent, type BlocksEditorHandle } from "../../campaigns/composer/blocks/blocks-content.tsx";
import { faultOf } from "../../campaigns/composer/content.tsx";
import { CodeEditor, type CodeEditorHandle } from "../../campaigns/composer/editor/code-editor.tsx";
import { pictureMarkup } from "../../campaigns/composer/editor/pictures/picture-markup.ts";
import type { MergeNames } from "../../campaigns/composer/editor/use-variables.ts";
import { VariablesMenu } from "../../campaigns/composer/editor/variables-menu.tsx";
import { ChangeKind } from "../../campaigns/composer/fields/change-kind.tsx";
import { kindOf } from "../../campaigns/composer/fields/switch-kind.tsx";
import { TextPart } from "../../campaigns/composer/fields/text-part.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";
import type { Undeclared } from "../preview/use-rendering.ts";
import type { TemplateSearch } from "../search.ts";
import { VariablesTable } from "./variables-table.tsx";

const Pictures = lazyPart(async () => ({
  default: (await import("../../campaigns/composer/editor/pictures/pictures.tsx")).Pictures,
}));

const KINDS = ["blocks", "mjml", "html"] as const;
const NO_FILES: readonly File[] = [];

export type Place = { readonly part?: string; readonly line: number; readonly column: number };

export type ContentHandle = {
  /** Leads to a place in the source or in the text part. */
  readonly show: (place: Place) => void;
  /** Tells the draft what was typed last. */
  readonly flush: () => void;
};

type Props = {
  drafting: TemplateDrafting;
  names: MergeNames | undefined;
  checks: readonly CampaignCheck[];
  faultsOfVariables: Readonly<Record<string, string>>;
  undeclared: readonly Undeclared[];
  isLocked: boolean;
  part: TemplateSearch["part"];
  onPart: (part: TemplateSearch["part"]) => void;
  onVersions: () => void;
  handle: RefObject<ContentHandle | null>;
};

export function TemplateContent(props: Props) {
  const { drafting, names, checks, isLocked, part, onPart, onVersions, handle } = props;
  const { t } = useTranslation();
  const { draft, faults, change } = drafting;
  const { blocks } = draft;
  const kind = kindOf(draft);
  const shownKind = blocks === null ? kind : "blocks";
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
  const attach = useCallback((made: CodeEditorHandle | null) => {
    editor.current = made;
    if (made && next.current) made.jumpTo(next.current);
    if (made) next.current = undefined;
  }, []);
  useImperativeHandle(handle, () => ({
    flush,
    show(place) {
      const needed = place.part === "text" && draft.text !== null ? "text" : undefined;
      if (needed === undefined && blocks !== null) {
        onPart(undefined);
        return blocksEditor.current?.jumpTo(place);
      }
      if (needed === part) return editor.current?.jumpTo(place);
      next.current = place;
      onPart(needed);
    },
  }));
  const choose = (chosen: (typeof KINDS)[number]) => {
    flush();
    onPart(undefined);
    if (chosen !== shownKind) setWanted(chosen);
  };
  const close = () => setWanted(undefined);
  const open = (chosen: TemplateSearch["part"]) => {
    flush();
    onPart(chosen);
  };
  const insert = useCallback((text: string) => editor.current?.insert(text), []);
  const shared = { ref: attach, checks, variables: names, readOnly: isLocked, onPictures: setFiles };
  /** An editor that is taken away may still tell what was typed last, when the mail has another language already. */
  const write = (source: string) => {
    if (present.current[kind === "mjml" ? "html" : "mjml"] === null) change({ [kind]: source });
  };
  const fault =
    part === undefined ? faultOf(faults, shownKind) : part === "text" ? faults["text"] : faults["variables"];
  return (
    <section className="composer-stage" aria-label={t("composer.content.title")}>
      <div className="composer-tools">
        <fieldset className="seg" aria-label={t("composer.content.kind")}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              disabled={isLocked && one !== shownKind}
              aria-pressed={part === undefined && one === shownKind}
              onClick={() => choose(one)}
            >
              {one === "blocks" && <Icon of={Blocks} size="sm" />}
              {t(`templates.fields.${one}`)}
            </button>
          ))}
          {(["text", "variables"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={part === one} onClick={() => open(one)}>
              {t(`templates.fields.${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="grow" />
        <span ref={setTools} className="blocks-tools" hidden={part !== undefined || blocks === null} />
        {!isLocked && (part === "text" || (part === undefined && blocks === null)) && (
          <VariablesMenu names={names} insert={insert} />
        )}
        {!isLocked && part === undefined && blocks === null && (
          <Button kind="quiet" size="sm" icon={ImagePlus} onClick={() => setFiles(NO_FILES)}>
            {t("editor.pictures.title")}
          </Button>
        )}
        <Button kind="quiet" size="sm" icon={History} onClick={onVersions}>
          {t("templates.versions.title")}
        </Button>
      </div>
      {part === "variables" ? (
        <VariablesTable
          variables={draft.variables}
          faults={props.faultsOfVariables}
          undeclared={props.undeclared}
          isLocked={isLocked}
          change={change}
        />
      ) : part === "text" ? (
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
          isHidden={part !== undefined}
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
      <Suspense>
        {files && (
          <Pictures
            files={files}
            insert={(picture) => insert(pictureMarkup(kind, picture))}
            onClose={() => setFiles(undefined)}
          />
        )}
      </Suspense>
    </section>
  );
}
