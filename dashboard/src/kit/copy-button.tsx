import { Check, Copy, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, type ButtonLook } from "./button.tsx";

const SHOWN_MS = 2_000;

export function CopyButton({
  text,
  label,
  icon = Copy,
  ...look
}: { text: string; label?: string; icon?: LucideIcon } & Omit<ButtonLook, "icon">) {
  const { t } = useTranslation();
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <Button {...look} icon={isDone ? Check : icon} onClick={() => void copy()}>
      <span aria-live="polite">{isDone ? t("do.copied") : (label ?? t("do.copy"))}</span>
    </Button>
  );
}
