import { X } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";

type Props = {
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  isBad: boolean;
};

const LONGEST = 1_000;

/** Several texts: Enter or a comma makes one of what is typed, Backspace takes the last one off. */
export function ChipsInput({ values, onChange, isBad }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = (given: string) => {
    const fresh = given
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
    setText("");
    if (fresh.length > 0) onChange([...new Set([...values, ...fresh])]);
  };
  return (
    <div className="input input-sm chips-input" aria-invalid={isBad || undefined}>
      {values.map((value) => (
        <span key={value} className="badge">
          <span className="trunc">{value}</span>
          <button
            type="button"
            className="badge-x"
            aria-label={t("builder.takeOff", { value })}
            onClick={() => {
              onChange(values.filter((one) => one !== value));
              input.current?.focus();
            }}
          >
            <Icon of={X} size="sm" />
          </button>
        </span>
      ))}
      <input
        ref={input}
        data-control
        aria-label={t("builder.addValue")}
        aria-invalid={isBad || undefined}
        placeholder={t("builder.addValue")}
        value={text}
        maxLength={LONGEST}
        autoComplete="off"
        onChange={(event) => {
          if (event.target.value.includes(",")) add(event.target.value);
          else setText(event.target.value);
        }}
        onBlur={() => add(text)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) {
            event.preventDefault();
            add(text);
          } else if (event.key === "Backspace" && text === "") onChange(values.slice(0, -1));
        }}
      />
    </div>
  );
}
