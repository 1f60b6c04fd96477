import { Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../../kit/icon.tsx";

type Props = {
  name: string;
  label: string;
  fault: string | undefined;
  onChange: (name: string) => void;
};

/** The title is what is clicked to rename it. */
export function TitleField({ name, label, fault, onChange }: Props) {
  const { t } = useTranslation();
  const [isEdited, setEdited] = useState(false);
  const before = useRef("");
  const end = () => setEdited(false);
  if (isEdited || fault) {
    return (
      <h1 className="composer-name">
        <span className="sr">{name}</span>
        <input
          className="input"
          aria-label={label}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? "composer-name-fault" : undefined}
          data-invalid={fault ? "" : undefined}
          maxLength={200}
          ref={(input) => {
            if (isEdited && document.activeElement !== input) input?.select();
          }}
          value={name}
          onChange={(event) => onChange(event.target.value)}
          onBlur={end}
          onKeyDown={(event) => {
            if (event.key === "Escape") onChange(before.current);
            if (event.key === "Escape" || event.key === "Enter") end();
          }}
        />
        {fault && (
          <span className="composer-name-fault" id="composer-name-fault">
            {fault}
          </span>
        )}
      </h1>
    );
  }
  return (
    <h1 className="composer-name">
      <button
        type="button"
        className="composer-rename"
        title={name}
        onClick={() => {
          before.current = name;
          setEdited(true);
        }}
      >
        <span className="trunc" dir="auto">
          {name}
        </span>
        <Icon of={Pencil} size="sm" />
        <span className="sr">{t("do.rename")}</span>
      </button>
    </h1>
  );
}
