import { ChevronDown, type LucideIcon, Search as SearchIcon, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../kit/icon.tsx";
import { Popup } from "../../../../kit/overlays/popup.tsx";
import { useSettled } from "../../../../shell/use-settled.ts";

export type Choice = { readonly id: string; readonly name: string; readonly note?: string };

type Props = {
  label: string;
  icon?: LucideIcon;
  /** What is chosen, as it is called; undefined while that isn't known. */
  chosen: string | null | undefined;
  placeholder: string;
  searchLabel: string;
  fault?: string | undefined;
  /** Shows what has the text in its name; an empty text finds the newest. */
  found: (text: string, choose: (choice: Choice) => void) => ReactNode;
  onChoose: (choice: Choice) => void;
  clear?: { readonly label: string; readonly run: () => void } | undefined;
};

/** A button that says what is chosen, and opens a search for something else: lists of hundreds are found by name. */
export function Chooser({ label, icon, chosen, placeholder, fault, clear, ...search }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const faultId = useId();
  return (
    <div className="stack tight">
      <div className="chooser">
        <button
          ref={button}
          type="button"
          className="input input-sm chooser-button"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-describedby={fault && faultId}
          data-invalid={fault ? "" : undefined}
          onClick={() => setOpen(true)}
        >
          {icon && <Icon of={icon} size="sm" />}
          <span className="sr">{label}</span>
          <span className={chosen ? "trunc med" : "trunc ph"} dir="auto">
            {chosen ?? placeholder}
          </span>
          <Icon of={ChevronDown} size="sm" />
        </button>
        {clear && (
          <button
            type="button"
            className="btn btn-quiet btn-sm btn-icon"
            aria-label={clear.label}
            onClick={clear.run}
          >
            <Icon of={X} size="sm" />
          </button>
        )}
      </div>
      {fault && (
        <p className="chooser-fault" id={faultId}>
          {fault}
        </p>
      )}
      {isOpen && (
        <Popup
          anchor={button}
          label={label}
          className="chooser-pop"
          align="start"
          onClose={() => setOpen(false)}
        >
          <Search {...search} onDone={() => setOpen(false)} />
        </Popup>
      )}
    </div>
  );
}

type SearchProps = Pick<Props, "searchLabel" | "found" | "onChoose"> & { onDone: () => void };

function Search({ searchLabel, found, onChoose, onDone }: SearchProps) {
  const [text, setText] = useState("");
  const settled = useSettled(text.trim());
  const box = useRef<HTMLDivElement>(null);
  const buttons = () => [...(box.current?.querySelectorAll("button") ?? [])];
  const choose = (choice: Choice) => {
    onChoose(choice);
    onDone();
  };
  /** The arrows go through what was found, as in the palette. */
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLButtonElement) + step;
    all[Math.min(Math.max(at, 0), all.length - 1)]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the arrows of the field and the buttons within.
    <div ref={box} onKeyDown={onKeyDown}>
      <div className="input input-sm">
        <Icon of={SearchIcon} size="sm" />
        <input
          type="search"
          aria-label={searchLabel}
          placeholder={searchLabel}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && text !== "" && text.trim() === settled) buttons()[0]?.click();
          }}
        />
      </div>
      {found(settled, choose)}
    </div>
  );
}

type FoundProps = {
  choices: readonly Choice[] | undefined;
  none: string;
  choose: (choice: Choice) => void;
};

/** What was found, for `found` of a chooser. */
export function Found({ choices, none, choose }: FoundProps) {
  const { t } = useTranslation();
  return (
    <>
      <ul className="chooser-list">
        {choices?.map((choice) => (
          <li key={choice.id}>
            <button type="button" className="opt" onClick={() => choose(choice)}>
              <span className="grow trunc" dir="auto">
                {choice.name}
              </span>
              {choice.note && <span className="xs dim num trunc">{choice.note}</span>}
            </button>
          </li>
        ))}
      </ul>
      {choices?.length === 0 && <p className="sm dim chooser-none">{none}</p>}
      {choices === undefined && <p className="sm dim chooser-none">{t("palette.searching")}</p>}
    </>
  );
}
