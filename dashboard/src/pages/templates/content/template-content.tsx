/** The middle pane: the source in its language, a text part of its own, or the variables. */
import { History, ImagePlus } from "lucide-react";
import { type RefObject, Suspense, useCallback, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../api/openapi.ts";
import { Button } from "../../../kit/button.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { CodeEditor, type CodeEditorHandle } from "../../campaigns/composer/editor/code-editor.tsx";
import type { MergeNames } from "../../campaigns/composer/editor/use-variables.ts";
import { VariablesMenu } from "../../campaigns/composer/editor/variables-menu.tsx";
import { type Kind, kindOf, SwitchKind } from "../../campaigns/composer/fields/switch-kind.tsx";
import { TextPart } from "../../campaigns/composer/fields/text-part.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";
import type { Undeclared } from "../preview/use-rendering.ts";
import type { TemplateSearch } from "../search.ts";
import { VariablesTable } from "./variables-table.tsx";

const Pictures = lazyPart(async () => ({
  default: (await import("../../campaigns/composer/editor/pictures/pictures.tsx")).Pictures,
}));

const KINDS = ["mjml", "html"] as const;
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
  const kind = kindOf(draft);
  const [wanted, setWanted] = useState<Kind>();
  const [files, setFiles] = useState<readonly File[]>();
  const present = useRef(draft);
  present.current = draft;
  const editor = useRef<CodeEditorHandle>(null);
  /** Where to go once the other editor is there. */
  const next = useRef<Place>(undefined);
  const attach = useCallback((made: CodeEditorHandle | null) => {
    editor.current = made;
    if (made && next.current) made.jumpTo(next.current);
    if (made) next.current = undefined;
  }, []);
  useImperativeHandle(handle, () => ({
    flush: () => editor.current?.flush(),
    show(place) {
      const needed = place.part === "text" && draft.text !== null ? "text" : undefined;
      if (needed === part) return editor.current?.jumpTo(place);
      next.current = place;
      onPart(needed);
    },
  }));
  const choose = (chosen: Kind) => {
    editor.current?.flush();
    onPart(undefined);
    if (chosen !== kind) setWanted(chosen);
  };
  const open = (chosen: TemplateSearch["part"]) => {
    editor.current?.flush();
    onPart(chosen);
  };
  const insert = useCallback((text: string) => editor.current?.insert(text), []);
  const shared = { ref: attach, checks, variables: names, readOnly: isLocked, onPictures: setFiles };
  /** An editor that is taken away may still tell what was typed last, when the mail has another language already. */
  const write = (source: string) => {
    if (present.current[kind === "mjml" ? "html" : "mjml"] === null) change({ [kind]: source });
  };
  const fault = part === undefined ? faults[kind] : part === "text" ? faults["text"] : faults["variables"];
  return (
    <section className="composer-stage" aria-label={t("composer.content.title")}>
      <div className="composer-tools">
        <fieldset className="seg" aria-label={t("composer.content.kind")}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              disabled={isLocked && one !== kind}
              aria-pressed={part === undefined && one === kind}
              onClick={() => choose(one)}
            >
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
        {!isLocked && part !== "variables" && <VariablesMenu names={names} insert={insert} />}
        {!isLocked && part === undefined && (
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
      <Suspense>
        {files && <Pictures kind={kind} files={files} insert={insert} onClose={() => setFiles(undefined)} />}
      </Suspense>
    </section>
  );
}
