import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { Button } from "../button.tsx";
import { ProblemNote } from "../forms/problem-note.tsx";
import { Dialog } from "./dialog.tsx";

type UnreadableProps = { title: string; error: unknown; onClose: () => void };

/** Stands in place of a dialog whose data couldn't be read, so that the press of its button isn't without an answer. */
export function UnreadableDialog({ title, error, onClose }: UnreadableProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={title} onClose={onClose} footer={<Button onClick={onClose}>{t("do.close")}</Button>}>
      <ProblemNote error={asApiError(error)} />
    </Dialog>
  );
}
