/** The properties of the chosen block, in a small window at its toolbar. */
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { Popup } from "../../../../../../kit/overlays/popup.tsx";
import type { Variable } from "../../../fields/variables.ts";
import type { Attributes, Condition, Repeat } from "../../document/types.ts";
import type { Controls } from "../controls.ts";
import type { Chosen } from "../editor-store.ts";
import { selectBlock, setProperties } from "../state/block-commands.ts";
import { blockOf } from "../state/document-of.ts";
import { blockAround, blockById } from "../state/find-blocks.ts";
import { moveBlock } from "../state/move-block.ts";
import { KindSettings } from "./kind-settings.tsx";
import { RepeatField, ShownTo } from "./shown-to.tsx";

type Props = {
  controls: Controls;
  chosen: Chosen;
  variables: readonly Variable[];
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

export function BlockSettings({ controls, chosen, variables, anchor, onClose }: Props) {
  const { t } = useTranslation();
  const kind = t(`blocksEditor.kinds.${chosen.kind}`);
  const set = (properties: Attributes) =>
    controls.change((state) => setProperties(state, chosen.id, properties));
  const isKept = chosen.kind === "kept";
  return (
    <Popup
      anchor={anchor}
      label={t("blocksEditor.settings.title", { kind })}
      className="block-settings"
      align="end"
      onClose={onClose}
    >
      <h3 className="flabel">{t("blocksEditor.settings.title", { kind })}</h3>
      {!isKept && (
        <>
          <KindSettings key={chosen.id} controls={controls} chosen={chosen} set={set} />
          <ShownTo
            key={`${chosen.id} shown`}
            value={chosen.attrs["only_for"] as Condition | null}
            variables={variables}
            set={(condition) => set({ only_for: condition })}
          />
          <RepeatField
            key={`${chosen.id} repeat`}
            value={chosen.attrs["repeat"] as Repeat | null}
            set={(repeat) => set({ repeat })}
          />
        </>
      )}
      <Moves controls={controls} chosen={chosen} />
      <Button size="sm" onClick={onClose}>
        {t("blocksEditor.settings.close")}
      </Button>
    </Popup>
  );
}

function Moves({ controls, chosen }: Pick<Props, "controls" | "chosen">) {
  const { t } = useTranslation();
  const move = (direction: "up" | "down") => {
    controls.change((state) => moveBlock(state, direction));
    controls.announce(direction === "up" ? "movedUp" : "movedDown");
  };
  const chooseAround = () =>
    void controls.act((state) => {
      const found = blockById(state.doc, chosen.id);
      const around = found && blockAround(state.doc, found.pos);
      return around && selectBlock(state, around.pos);
    });
  const save = () => {
    const found = blockById(controls.editor.state.doc, chosen.id);
    if (found) controls.setOpen({ kind: "saveSection", block: blockOf(found.node) });
  };
  return (
    <div className="row wrap">
      <Button size="sm" onClick={() => move("up")}>
        {t("blocksEditor.toolbar.up")}
      </Button>
      <Button size="sm" onClick={() => move("down")}>
        {t("blocksEditor.toolbar.down")}
      </Button>
      {chosen.columnsId !== undefined && chosen.kind !== "columns" && (
        <Button size="sm" onClick={chooseAround}>
          {t("blocksEditor.toolbar.around")}
        </Button>
      )}
      {chosen.kind !== "kept" && (
        <Button size="sm" onClick={save}>
          {t("blocksEditor.toolbar.saveSection")}
        </Button>
      )}
    </div>
  );
}
