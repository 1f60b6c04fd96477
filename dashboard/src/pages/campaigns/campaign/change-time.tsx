/** Another time for a campaign that waits, or that waited in a pause until its time had passed. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Campaign } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { Refusal } from "../sending/refusal.tsx";
import { spellShortly } from "../sending/when/spell.ts";
import { momentOfSaid, NOTHING_SAID, type Said, WhenFields } from "../sending/when/when-fields.tsx";

export function ChangeTime({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name, send_at: present } = campaign;
  const [said, setSaid] = useState<Said>(() => {
    const at = present && new Date(present);
    return at && at > new Date() ? { by: "choice", at } : NOTHING_SAID;
  });
  const [isMissing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const plan = async () => {
    const at = momentOfSaid(said);
    if (!at) return setMissing(true);
    setBusy(true);
    setError(undefined);
    try {
      await call("POST /v1/campaigns/{id}/schedule", { path: { id }, body: { send_at: at.toISOString() } });
      notify(t("sending.scheduled.changed", { when: spellShortly(at) }));
      onClose();
    } catch (thrown) {
      setError(asApiError(thrown));
      setBusy(false);
    }
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  return (
    <Dialog
      title={t("sending.scheduled.changeTitle", { name })}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" busy={busy} onClick={() => void plan()}>
            {t("sending.scheduled.changeAction")}
          </Button>
        </>
      }
    >
      <WhenFields said={said} change={setSaid} isMissing={isMissing} />
      {error && <Refusal error={error} campaign={campaign} />}
    </Dialog>
  );
}
