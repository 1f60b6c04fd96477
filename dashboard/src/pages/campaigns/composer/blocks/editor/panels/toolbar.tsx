/** The small toolbar of the chosen block: how its words look, where it stands, and what becomes of it. */
import { toggleMark } from "@tiptap/pm/commands";
import type { TFunction } from "i18next";
import {
  AlignCenter,
  AlignRight,
  Bold,
  Braces,
  Copy,
  Ellipsis,
  Italic,
  Link,
  type LucideIcon,
  SlidersHorizontal,
  Trash2,
} from "lucide-react";
import type { KeyboardEvent, Ref, RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../../../kit/icon.tsx";
import type { Align } from "../../document/types.ts";
import type { Controls } from "../controls.ts";
import type { Chosen, Shown } from "../editor-store.ts";
import { deleteBlock, duplicateBlock, setProperties } from "../state/block-commands.ts";
import { AlignLeft } from "./align-left.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  chosen: Chosen;
  handle: RefObject<HTMLDivElement | null>;
  settings: Ref<HTMLButtonElement>;
  words: Ref<HTMLButtonElement>;
};

type Tool = {
  readonly key: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
  readonly isOn?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
};

const ALIGNED: ReadonlySet<string> = new Set([
  "heading",
  "text",
  "image",
  "button",
  "social",
  "product",
  "footer",
]);
const ALIGNS: readonly Align[] = ["left", "center", "right"];
const ALIGN_ICONS = { left: AlignLeft, center: AlignCenter, right: AlignRight };

export function BlockToolbar({ controls, shown, chosen, handle, settings, words }: Props) {
  const { t } = useTranslation();
  const tools = [
    ...wordTools({ controls, shown, chosen, words }, t),
    ...alignTool({ controls, chosen }, t),
    ...blockTools({ controls, settings }, t),
  ];
  const kind = t(`blocksEditor.kinds.${chosen.kind}`);
  return (
    <div
      ref={handle}
      className="block-toolbar"
      role="toolbar"
      aria-label={t("blocksEditor.toolbar.of", { kind })}
      onKeyDown={(event) => move(event, () => controls.editor.view.focus())}
    >
      <span className="block-kind" aria-hidden="true">
        {kind}
      </span>
      {tools.map(({ key, label, icon, run, isOn, ref }, index) => (
        <button
          key={key}
          ref={ref}
          type="button"
          title={label}
          aria-label={label}
          aria-pressed={isOn}
          tabIndex={index === 0 ? 0 : -1}
          // A press must not take the cursor out of the words.
          onMouseDown={(event) => event.preventDefault()}
          onClick={run}
        >
          <Icon of={icon} />
        </button>
      ))}
    </div>
  );
}

type Say = TFunction;

function wordTools(
  { controls, shown, chosen, words }: Pick<Props, "controls" | "shown" | "chosen" | "words">,
  t: Say,
): Tool[] {
  if (!chosen.isWriting || chosen.isWhole) return [];
  const marks = shown.marks.split(" ");
  const toggle = (name: "bold" | "italic") => () => {
    const { view, schema } = controls.editor;
    const type = schema.marks[name];
    if (type) toggleMark(type)(view.state, view.dispatch);
    view.focus();
  };
  const isLink = marks.includes("link");
  return [
    {
      key: "bold",
      label: t("blocksEditor.toolbar.bold"),
      icon: Bold,
      run: toggle("bold"),
      isOn: marks.includes("bold"),
    },
    {
      key: "italic",
      label: t("blocksEditor.toolbar.italic"),
      icon: Italic,
      run: toggle("italic"),
      isOn: marks.includes("italic"),
    },
    ...(chosen.kind === "button"
      ? []
      : [
          {
            key: "link",
            label: t("blocksEditor.toolbar.link"),
            icon: Link,
            run: () => controls.setOpen({ kind: "ask", what: "link" }),
            isOn: isLink,
          },
        ]),
    {
      key: "variable",
      label: t("blocksEditor.toolbar.variable"),
      icon: Braces,
      // The list opens as if it had been typed, so there is one for both.
      run: () => {
        const { view } = controls.editor;
        view.focus();
        view.dispatch(view.state.tr.insertText("{"));
      },
    },
    {
      key: "words",
      label: t("blocksEditor.toolbar.more"),
      icon: Ellipsis,
      run: () => controls.setOpen({ kind: "words" }),
      ref: words,
    },
  ];
}

/** One button leads from one alignment to the next. */
function alignTool({ controls, chosen }: Pick<Props, "controls" | "chosen">, t: Say): Tool[] {
  if (!ALIGNED.has(chosen.kind)) return [];
  const isCentred = chosen.kind === "social" || chosen.kind === "footer";
  const now = (chosen.attrs["align"] as Align | null) ?? (isCentred ? "center" : "left");
  const next = ALIGNS[(ALIGNS.indexOf(now) + 1) % ALIGNS.length] ?? "left";
  return [
    {
      key: "align",
      label: `${t("blocksEditor.toolbar.align")}: ${t(`blocksEditor.toolbar.${now}`)}`,
      icon: ALIGN_ICONS[now],
      run: () => void controls.act((state) => setProperties(state, chosen.id, { align: next })),
    },
  ];
}

function blockTools({ controls, settings }: Pick<Props, "controls" | "settings">, t: Say): Tool[] {
  return [
    {
      key: "settings",
      label: t("blocksEditor.toolbar.settings"),
      icon: SlidersHorizontal,
      run: () => controls.setOpen({ kind: "settings" }),
      ref: settings,
    },
    {
      key: "duplicate",
      label: t("blocksEditor.toolbar.duplicate"),
      icon: Copy,
      run: () => void controls.act(duplicateBlock, "duplicated"),
    },
    {
      key: "delete",
      label: t("blocksEditor.toolbar.delete"),
      icon: Trash2,
      run: () => void controls.act(deleteBlock, "deleted"),
    },
  ];
}

/** The arrows lead from tool to tool, and Escape back into the mail. */
function move(event: KeyboardEvent<HTMLDivElement>, leave: () => void) {
  if (event.key === "Escape") {
    event.preventDefault();
    return leave();
  }
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
  // It stands upright beside the block, and lies above it where there is no margin.
  const next = {
    ArrowRight: now + 1,
    ArrowDown: now + 1,
    ArrowLeft: now - 1,
    ArrowUp: now - 1,
    Home: 0,
    End: buttons.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  buttons.at(next % buttons.length)?.focus();
}
