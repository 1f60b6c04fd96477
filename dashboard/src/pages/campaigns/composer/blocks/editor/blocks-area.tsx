/** The editor of a mail made of blocks, with what stands around it. It is large, so it is loaded apart. */
import "../../../../../i18n/later/writing/blocks-editor.ts";
import "../../../../../i18n/later/writing/editor.ts";
import "../../editor/editor.css";
import "./blocks-area.css";
import { Plus } from "lucide-react";
import { memo, useEffect, useId, useImperativeHandle, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import { formatNumber } from "../../../../../i18n/format.ts";
import { Button } from "../../../../../kit/button.tsx";
import { findExceeded, LIMITS } from "../document/limits.ts";
import { lookProperties } from "../document/looks.ts";
import type { Style } from "../document/types.ts";
import type { BlocksEditorProps } from "./blocks-editor-props.ts";
import type { Controls, Open } from "./controls.ts";
import { useShown } from "./editor-store.ts";
import { InsertMenu } from "./panels/insert-menu.tsx";
import { BlockOverlay } from "./panels/overlay.tsx";
import { StageTools } from "./panels/stage-tools.tsx";
import { SuggestionList } from "./panels/suggestion-list.tsx";
import { useSections } from "./panels/use-sections.ts";
import { Windows } from "./panels/windows.tsx";
import { goToBlock, selectBlock } from "./state/block-commands.ts";
import { blocksInOrder } from "./state/find-blocks.ts";
import { useAccountStyle } from "./use-account-style.ts";
import { useBlocksEditor } from "./use-blocks-editor.ts";

export default function BlocksArea(props: BlocksEditorProps) {
  const { isLocked, ref, convert } = props;
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>();
  const [said, setSaid] = useState("");
  const hintId = useId();
  const listId = useId();
  const host = useRef<HTMLDivElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const made = useBlocksEditor(props, { host, toolbar, hintId, listId, setOpen, say: setSaid });
  const controls = made?.controls;
  useImperativeHandle(
    ref,
    () => ({
      flush: () => made?.reporter.flush(),
      jumpTo: ({ line }) => controls && showBlock(controls, line),
    }),
    [made, controls],
  );
  return (
    <div className="blocks-area">
      <p id={hintId} hidden>
        {t(isLocked ? "blocksEditor.readOnlyHint" : "blocksEditor.keysHint")}
      </p>
      <div className="sr" role="status">
        {said}
      </div>
      {!isLocked && (
        <TooMuch document={props.document} show={(line) => controls && showBlock(controls, line)} />
      )}
      <div className="blocks-paper">
        {/* Keyed by nothing: the editor lives in the first child, whatever is drawn beside it. */}
        <div className="blocks-sheet">
          <div ref={host} className="blocks-host" />
          {controls && !isLocked && (
            <Around
              controls={controls}
              open={open}
              listId={listId}
              toolbar={toolbar}
              variables={props.variables}
              tools={props.tools}
            />
          )}
          {controls && <Looks controls={controls} host={host} />}
        </div>
        {!isLocked && (
          <p className="blocks-hint xs dim">
            <span aria-hidden="true">
              {t("blocksEditor.hintType")} <span className="kbd">/</span> {t("blocksEditor.hintBlock")}{" "}
              <span className="kbd">{"{"}</span> {t("blocksEditor.hintVariable")}
            </span>{" "}
            <button type="button" className="text-button" onClick={convert}>
              {t("composer.blocks.convert")}
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

/** Says at once what the service would refuse for being too much. */
function TooMuch({ document, show }: { document: BlocksDocument; show: (line: number) => void }) {
  const { t } = useTranslation();
  const found = findExceeded(document);
  if (!found) return null;
  const { limit, count, line } = found;
  const numbers = { number: formatNumber(count), most: formatNumber(LIMITS[limit]), line };
  return (
    <div className="composer-source-fault row between" role="alert">
      <span>{t(`blocksEditor.limits.${limit}`, numbers)}</span>
      <Button size="sm" onClick={() => show(line)}>
        {t("blocksEditor.limits.show")}
      </Button>
    </div>
  );
}

/** The line of a check is the number of its block in the order of reading. */
function showBlock({ editor, act }: Controls, line: number): void {
  const found = blocksInOrder(editor.state.doc)[line - 1];
  if (found)
    act(
      (state) => goToBlock(state, String(found.node.attrs["id"])) ?? selectBlock(state, found.pos),
      "chosen",
    );
  const dom = found && editor.view.nodeDOM(found.pos);
  if (dom instanceof HTMLElement) dom.scrollIntoView({ block: "center" });
}

type AroundProps = Pick<BlocksEditorProps, "variables" | "tools"> & {
  controls: Controls;
  open: Open | undefined;
  listId: string;
  toolbar: React.RefObject<HTMLDivElement | null>;
};

/** It shows nothing of what is written, so that what the page is told of that draws none of it anew. */
const Around = memo(function Around({ controls, open, listId, toolbar, variables, tools }: AroundProps) {
  const { t } = useTranslation();
  const shown = useShown(controls.store);
  const sections = useSections(controls);
  const settings = useRef<HTMLButtonElement>(null);
  const words = useRef<HTMLButtonElement>(null);
  const style = useRef<HTMLButtonElement>(null);
  const outline = useRef<HTMLButtonElement>(null);
  return (
    <>
      {shown.isEmpty && (
        <div className="blocks-empty stack">
          <p className="sm dim">{t("blocksEditor.empty")}</p>
          <InsertMenu
            controls={controls}
            sections={sections}
            trigger={<Button icon={Plus}>{t("blocksEditor.addFirst")}</Button>}
          />
        </div>
      )}
      {shown.chosen && (
        <BlockOverlay
          controls={controls}
          shown={shown}
          chosen={shown.chosen}
          sections={sections}
          toolbar={toolbar}
          settings={settings}
          words={words}
        />
      )}
      {shown.suggesting && (
        <SuggestionList controls={controls} suggesting={shown.suggesting} listId={listId} />
      )}
      <Windows
        controls={controls}
        shown={shown}
        open={open}
        variables={variables}
        anchors={{ settings, words, style, outline }}
      />
      {tools &&
        createPortal(<StageTools controls={controls} shown={shown} style={style} outline={outline} />, tools)}
    </>
  );
});

/** The style of the mail, as properties of the sheet: the page's policy allows them where script sets them. */
function Looks({ controls, host }: { controls: Controls; host: React.RefObject<HTMLDivElement | null> }) {
  const { head } = useShown(controls.store);
  const accountStyle = useAccountStyle();
  useEffect(() => {
    const paper = host.current?.closest<HTMLElement>(".blocks-paper");
    if (!paper) return;
    for (const [name, value] of Object.entries(
      lookProperties({ ...accountStyle, ...(head["style"] as Style | undefined) }),
    ))
      paper.style.setProperty(name, value);
    const { language, direction } = head as { language?: string; direction?: string };
    controls.editor.view.dom.lang = language ?? "";
    controls.editor.view.dom.dir = direction ?? "";
  }, [head, host, controls, accountStyle]);
  return null;
}
