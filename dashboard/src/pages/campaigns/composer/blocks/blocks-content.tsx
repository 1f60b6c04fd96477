/** A mail made of blocks: its editor, which comes when it is first wanted; or its outline, where a newer version made the whole. */
import { type Ref, Suspense } from "react";
import { SkeletonLines } from "../../../../kit/states.tsx";
import { lazyPart } from "../../../../lazy-page.ts";
import type { MergeNames } from "../editor/use-variables.ts";
import { useChipWords, useSubjectVariables } from "../fields/variables.ts";
import type { BlocksEditorHandle, BlocksEditorProps } from "./editor/blocks-editor-props.ts";

export type { BlocksEditorHandle } from "./editor/blocks-editor-props.ts";

// Nothing of the editor is imported but in these, or the bundler would put parts of it into the page.
const BlocksArea = lazyPart(() => import("./editor/blocks-area.tsx"));
const NewerDocument = lazyPart(() => import("./newer-document.tsx"));
export const BeginBlocks = lazyPart(() => import("./begin-blocks.tsx"));

type Props = Omit<BlocksEditorProps, "ref" | "variables" | "nameOf"> & {
  names: MergeNames | undefined;
  /** It stays while the text part is looked at, for what can be undone is in it. */
  isHidden?: boolean;
  handle: Ref<BlocksEditorHandle>;
};

export function BlocksContent({ isHidden = false, handle, names, ...props }: Props) {
  const variables = useSubjectVariables(names);
  const { nameOf } = useChipWords(variables);
  const isNewer = (props.document.version as number) !== 1;
  return (
    <div className="blocks-content" hidden={isHidden}>
      <Suspense fallback={<SkeletonLines lines={12} />}>
        {isNewer ? (
          <NewerDocument {...props} />
        ) : (
          <BlocksArea {...props} variables={variables} nameOf={nameOf} ref={handle} />
        )}
      </Suspense>
    </div>
  );
}
