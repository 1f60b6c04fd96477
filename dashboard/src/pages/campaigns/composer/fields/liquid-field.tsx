import { Braces, CircleAlert } from "lucide-react";
import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import { TextField } from "../../../../kit/forms/field.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { Popup } from "../../../../kit/overlays/popup.tsx";
import { lazyPart } from "../../../../lazy-page.ts";
import type { MergeNames } from "../editor/use-variables.ts";
import { readLength } from "./chips.ts";
import type { LiquidLineHandle } from "./liquid-line.tsx";
import { useChipWords, useSubjectVariables, type Variable } from "./variables.ts";

const LiquidLine = lazyPart(() => import("./liquid-line.tsx"));

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  names: MergeNames | undefined;
  handle?: RefObject<LiquidLineHandle | null>;
  isReadOnly: boolean;
  fault: string | undefined;
  /** About how many characters are read of it in an inbox. */
  about: number;
  hint?: ReactNode;
};

/** A line with variables: its label, its length, a menu that inserts one, and the source on request. */
export function LiquidField({
  label,
  value,
  onChange,
  names,
  handle,
  isReadOnly,
  fault,
  about,
  hint,
}: Props) {
  const { t } = useTranslation();
  const [isSource, setSource] = useState(false);
  const variables = useSubjectVariables(names);
  const words = useChipWords(variables);
  const own = useRef<LiquidLineHandle>(null);
  const line = handle ?? own;
  const length = readLength(value, words.nameOf);
  return (
    <div className="field">
      <div className="row between">
        <span className="flabel" aria-hidden="true">
          {label}
        </span>
        <span className={length > about ? "xs c-warn num" : "xs dim num"}>
          {t("composer.chips.length", { length, about })}
        </span>
      </div>
      <div className="liquid-frame">
        <Suspense fallback={<div className="liquid-line" />}>
          <LiquidLine
            label={label}
            value={value}
            onChange={onChange}
            words={words}
            isSource={isSource}
            isReadOnly={isReadOnly}
            fault={fault}
            handle={line}
          />
        </Suspense>
        <Insert
          label={label}
          variables={variables}
          onInsert={(source) => line.current?.insert(source)}
          isSource={isSource}
          onSource={() => setSource(!isSource)}
          isReadOnly={isReadOnly}
        />
      </div>
      {hint && <p className="hint">{hint}</p>}
      {fault && (
        <div className="err">
          <Icon of={CircleAlert} size="sm" />
          <span>{fault}</span>
        </div>
      )}
    </div>
  );
}

type InsertProps = {
  label: string;
  variables: readonly Variable[];
  onInsert: (source: string) => void;
  isSource: boolean;
  onSource: () => void;
  isReadOnly: boolean;
};

function Insert({ label, variables, onInsert, isSource, onSource, isReadOnly }: InsertProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [fallback, setFallback] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const insert = (name: string) => {
    setOpen(false);
    // A quotation mark would end the text in the middle.
    const orElse = fallback.trim().replaceAll('"', "”");
    onInsert(orElse ? `{{ ${name} | default: "${orElse}" }}` : `{{ ${name} }}`);
  };
  return (
    <>
      <Button
        ref={button}
        kind="quiet"
        size="sm"
        icon={Braces}
        aria-label={t("composer.chips.insert", { field: label })}
        title={t("composer.chips.insert", { field: label })}
        disabled={isReadOnly}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Popup
          anchor={button}
          label={t("composer.chips.insert", { field: label })}
          className="chooser-pop"
          align="end"
          onClose={() => setOpen(false)}
        >
          <TextField
            name="fallback"
            label={t("composer.chips.fallback")}
            placeholder={t("composer.chips.fallbackExample")}
            value={fallback}
            maxLength={100}
            onChange={(event) => setFallback(event.target.value)}
          />
          <ul className="chooser-list">
            {variables.map(({ name, label: called, value }) => (
              <li key={name}>
                <button type="button" className="opt" onClick={() => insert(name)}>
                  <span className="grow trunc" dir="auto">
                    {called}
                  </span>
                  <span className="xs dim trunc" dir="auto">
                    {value}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <label className="check">
            <input type="checkbox" checked={isSource} onChange={onSource} />
            <span>{t("composer.chips.source")}</span>
          </label>
        </Popup>
      )}
    </>
  );
}
