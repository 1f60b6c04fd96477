import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { SandboxNote } from "./sandbox-note.tsx";

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
  const isSandbox = useIsSandbox(drafting, !hasFaults);
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
      <div role="status">{isSandbox && <SandboxNote of="would" />}</div>
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

/** Whether mails of what is started now would go into the sandbox. Where that can't be told, starting says why. */
function useIsSandbox({ automation: { id }, save }: AutomationDrafting, isAsked: boolean): boolean {
  const [isSandbox, setSandbox] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when the dialog opens.
  useEffect(() => {
    if (!isAsked) return;
    let isOver = false;
    const ask = async () => {
      await save();
      const found = await call("POST /v1/automations/{id}/publish", {
        path: { id },
        body: { dry_run: true },
      });
      if (!isOver) setSandbox(found.sandbox);
    };
    ask().catch(() => {});
    return () => {
      isOver = true;
    };
  }, []);
  return isSandbox;
}
