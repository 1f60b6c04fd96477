/** The windows of the editor: one is open at a time. */
import { type RefObject, Suspense } from "react";
import { lazyPart } from "../../../../../../lazy-page.ts";
import type { DescribedPicture } from "../../../editor/pictures/describe-picture.tsx";
import type { Variable } from "../../../fields/variables.ts";
import { newId } from "../../document/new-block.ts";
import type { Controls, Open } from "../controls.ts";
import type { Shown } from "../editor-store.ts";
import { BlockSettings } from "../settings/settings.tsx";
import { setProperties } from "../state/block-commands.ts";
import { blockById } from "../state/find-blocks.ts";
import { useAccountStyle } from "../use-account-style.ts";
import { AskLink } from "./ask-link.tsx";
import { OutlineMenu } from "./outline-menu.tsx";
import { ManageSections, SaveSection } from "./sections.tsx";
import { StylePanel } from "./style-panel.tsx";
import { WordsPopup } from "./words-popup.tsx";

const Pictures = lazyPart(async () => ({
  default: (await import("../../../editor/pictures/pictures.tsx")).Pictures,
}));

type Anchor = RefObject<HTMLButtonElement | null>;
type Props = {
  controls: Controls;
  shown: Shown;
  open: Open | undefined;
  variables: readonly Variable[];
  anchors: Readonly<Record<"settings" | "words" | "style" | "outline", Anchor>>;
};

export function Windows({ controls, shown, open, variables, anchors }: Props) {
  const accountStyle = useAccountStyle();
  const close = () => controls.setOpen(undefined);
  const shared = { controls, shown, onClose: close };
  switch (open?.kind) {
    case "settings":
      if (!shown.chosen) return null;
      return (
        <BlockSettings {...shared} chosen={shown.chosen} variables={variables} anchor={anchors.settings} />
      );
    case "words":
      return <WordsPopup {...shared} anchor={anchors.words} />;
    case "style":
      return <StylePanel {...shared} accountStyle={accountStyle} anchor={anchors.style} />;
    case "outline":
      return <OutlineMenu {...shared} anchor={anchors.outline} />;
    case "ask":
      return <AskLink {...shared} what={open.what} />;
    case "pictures":
      return (
        <Suspense>
          <Pictures
            files={open.files}
            insert={(picture) => putPicture(controls, picture, open.forId)}
            onClose={close}
          />
        </Suspense>
      );
    case "saveSection":
      return <SaveSection block={open.block} onClose={close} />;
    case "sections":
      return <ManageSections controls={controls} onClose={close} />;
    default:
      return null;
  }
}

const LEAST_WIDTH = 16;
const MOST_WIDTH = 720;

function putPicture(
  controls: Controls,
  { url, alt, width }: DescribedPicture,
  forId: string | undefined,
): void {
  const fitting = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width));
  if (forId === undefined) {
    controls.insert([{ id: newId(), type: "image", src: url, alt, width: fitting }]);
    return;
  }
  controls.act((state) => {
    const isProduct = blockById(state.doc, forId)?.node.type.name === "product";
    return setProperties(
      state,
      forId,
      isProduct ? { image: { src: url, alt } } : { src: url, alt, width: fitting },
    );
  });
}
