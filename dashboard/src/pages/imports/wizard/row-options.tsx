import { X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { useTags } from "../../subscribers/reference-data.ts";
import type { StepProps } from "./step-props.ts";

type Part = Pick<StepProps, "draft" | "change">;

/** What holds for all rows: those that are there already, those that can't be reached, tags, and how days are written. */
export function RowOptions({ draft, change }: Part) {
  const { t } = useTranslation();
  const isAboutPeople = draft.target === "subscribers";
  return (
    <div className="two wide-two">
      {isAboutPeople && (
        <div className="field">
          <span className="flabel" id="on-conflict">
            {t("imports.conflict.label")}
          </span>
          <fieldset className="seg" aria-labelledby="on-conflict">
            {(["skip", "update"] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={draft.onConflict === one}
                onClick={() => change({ onConflict: one })}
              >
                {t(`imports.conflict.${one}`)}
              </button>
            ))}
          </fieldset>
          <span className="hint">{t("imports.conflict.hint")}</span>
        </div>
      )}
      {isAboutPeople && (
        <div className="field">
          <span className="flabel" id="address-checks">
            {t("imports.checks.label")}
          </span>
          <fieldset className="seg" aria-labelledby="address-checks">
            {(["report", "skip_bad", "off"] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={draft.checks === one}
                onClick={() => change({ checks: one })}
              >
                {t(`imports.checks.${one}`)}
              </button>
            ))}
          </fieldset>
          <span className="hint">{t("imports.checks.hint")}</span>
        </div>
      )}
      {isAboutPeople && <TagsForAll draft={draft} change={change} />}
      <div className="field">
        <span className="flabel" id="date-order">
          {t("wizard.dates.label")}
        </span>
        <fieldset className="seg" aria-labelledby="date-order">
          {(["dmy", "mdy"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={draft.dateOrder === one}
              onClick={() => change({ dateOrder: one })}
            >
              {t(`wizard.dates.${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="hint">{t("wizard.dates.hint")}</span>
      </div>
    </div>
  );
}

/** Enter or a comma ends a tag, and so does leaving the field: nothing typed is lost. */
function TagsForAll({ draft, change }: Part) {
  const { t } = useTranslation();
  const known = useTags();
  const [text, setText] = useState("");
  const add = () => {
    const tag = text.trim();
    setText("");
    if (tag !== "") change((before) => ({ ...before, tags: [...new Set([...before.tags, tag])] }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      add();
    } else if (event.key === "Backspace" && text === "") {
      change((before) => ({ ...before, tags: before.tags.slice(0, -1) }));
    }
  };
  return (
    <div className="field">
      <label className="flabel" htmlFor="tags-for-all">
        {t("wizard.tags.label")}
      </label>
      <div className="input tag-box">
        {draft.tags.map((tag) => (
          <span key={tag} className="badge">
            <span className="trunc">{tag}</span>
            <button
              type="button"
              className="badge-x"
              aria-label={t("wizard.tags.remove", { tag })}
              onClick={() =>
                change((before) => ({ ...before, tags: before.tags.filter((one) => one !== tag) }))
              }
            >
              <Icon of={X} />
            </button>
          </span>
        ))}
        <input
          id="tags-for-all"
          list="known-tags"
          value={text}
          maxLength={64}
          autoComplete="off"
          placeholder={t("wizard.tags.add")}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
        <datalist id="known-tags">
          {known.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
      </div>
    </div>
  );
}
