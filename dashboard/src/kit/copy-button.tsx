import { Check, Copy, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, type ButtonLook } from "./button.tsx";

const SHOWN_MS = 2_000;

function useCopy(text: string) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return { isDone, copy: () => void copy() };
}

export function CopyButton({
  text,
  label,
  icon = Copy,
  ...look
}: { text: string; label?: string; icon?: LucideIcon } & Omit<ButtonLook, "icon">) {
  const { t } = useTranslation();
  const { isDone, copy } = useCopy(text);
  return (
    <Button {...look} icon={isDone ? Check : icon} onClick={copy}>
      <span aria-live="polite">{isDone ? t("do.copied") : (label ?? t("do.copy"))}</span>
    </Button>
  );
}

/** The same beside a value, where words would repeat themselves in every line; screen readers hear them. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  const { isDone, copy } = useCopy(text);
  return (
    <span>
      <Button
        kind="quiet"
        size="sm"
        icon={isDone ? Check : Copy}
        aria-label={label}
        title={label}
        onClick={copy}
      />
      <span className="sr" aria-live="polite">
        {isDone && t("do.copied")}
      </span>
    </span>
  );
}
