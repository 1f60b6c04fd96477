import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import type { AutomationDrafting } from "../editor/use-automation.ts";

type Props = { drafting: AutomationDrafting; start: () => Promise<void>; onClose: () => void };

/** Says what starting means, and why it can't be where the draft has faults. */
export function StartDialog({ drafting, start, onClose }: Props) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const go = async () => {
    setBusy(true);
    try {
      await start();
      onClose();
    } catch (thrown) {
      setError(asApiError(thrown));
      setBusy(false);
    }
  };
  const hasFaults = drafting.automation.faults.length > 0;
  return (
    <Dialog
      title={t("lifecycle.start.title", { name: drafting.draft.name })}
      lead={hasFaults ? t("lifecycle.faults") : t("lifecycle.start.lead")}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" ref={stay} onClick={onClose}>
            {hasFaults ? t("do.close") : t("do.cancel")}
          </Button>
          {!hasFaults && (
            <Button kind="go" busy={busy} onClick={() => void go()}>
              {t("lifecycle.start.confirm")}
            </Button>
          )}
        </>
      }
    >
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}
