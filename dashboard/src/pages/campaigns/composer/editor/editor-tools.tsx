/** What stands above the editor beside the kind of content: variables, pictures and templates. */

import { ImagePlus, LayoutTemplate } from "lucide-react";
import { type RefObject, Suspense, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import { lazyPart } from "../../../../lazy-page.ts";
import { useRegisterActions } from "../../../../shell/actions.ts";
import type { Draft } from "../draft/draft.ts";
import type { CodeEditorHandle, EditorKind } from "./editor-props.ts";
import { pictureMarkup } from "./pictures/picture-markup.ts";
import type { MergeNames } from "./use-variables.ts";
import { VariablesMenu } from "./variables-menu.tsx";

const Starters = lazyPart(async () => ({
  default: (await import("./starters.tsx")).Starters,
}));
const Pictures = lazyPart(async () => ({
  default: (await import("./pictures/pictures.tsx")).Pictures,
}));

type Props = {
  kind: EditorKind;
  editor: RefObject<CodeEditorHandle | null>;
  names: MergeNames | undefined;
  draft: Draft;
  change: (patch: Partial<Draft>) => void;
  /** The pictures that were dropped or pasted; undefined while the dialog of pictures is closed. */
  files: readonly File[] | undefined;
  setFiles: (files: readonly File[] | undefined) => void;
};

const NONE: readonly File[] = [];

export function EditorTools({ kind, editor, names, draft, change, files, setFiles }: Props) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  const insert = useCallback((text: string) => editor.current?.insert(text), [editor]);
  const openStarters = () => {
    editor.current?.flush();
    setChoosing(true);
  };
  const openPictures = () => setFiles(NONE);
  const actions = [
    { id: "editor-pictures", label: t("editor.pictures.title"), icon: ImagePlus, run: openPictures },
    { id: "editor-starters", label: t("editor.starters.title"), icon: LayoutTemplate, run: openStarters },
  ];
  useRegisterActions(kind === "text" ? [] : actions);
  return (
    <>
      <VariablesMenu names={names} insert={insert} />
      {kind !== "text" && (
        <>
          <Button kind="quiet" size="sm" icon={ImagePlus} onClick={openPictures}>
            {t("editor.pictures.title")}
          </Button>
          <Button kind="quiet" size="sm" icon={LayoutTemplate} onClick={openStarters}>
            {t("editor.starters.title")}
          </Button>
        </>
      )}
      <Suspense>
        {isChoosing && (
          <Starters asBlocks={false} draft={draft} change={change} onClose={() => setChoosing(false)} />
        )}
        {files && (
          <Pictures
            files={files}
            insert={(picture) => insert(pictureMarkup(kind, picture))}
            onClose={() => setFiles(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}

/** The templates alone, for a mail of blocks, whose editor has all else. */
export function StarterTool({
  draft,
  change,
  flush,
}: Pick<Props, "draft" | "change"> & { flush: () => void }) {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  const open = () => {
    flush();
    setChoosing(true);
  };
  useRegisterActions([
    { id: "editor-starters", label: t("editor.starters.title"), icon: LayoutTemplate, run: open },
  ]);
  return (
    <>
      <Button kind="quiet" size="sm" icon={LayoutTemplate} onClick={open}>
        {t("editor.starters.title")}
      </Button>
      <Suspense>
        {isChoosing && <Starters asBlocks draft={draft} change={change} onClose={() => setChoosing(false)} />}
      </Suspense>
    </>
  );
}
