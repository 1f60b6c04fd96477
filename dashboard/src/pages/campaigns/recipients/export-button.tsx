import "../../../i18n/later/recipients.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { startDownload } from "../../exports/download.ts";
import type { RecipientEvent } from "./search.ts";

type ExportProps = {
  campaignId: string;
  /** Only those to whom this happened; everybody where there is none. */
  event?: RecipientEvent | undefined;
  machines?: boolean;
};

/** The recipients as a file: everybody, or those of the group that is shown. */
export function ExportRecipients({ campaignId, event, machines = false }: ExportProps) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const some = event && { event, include_machines: machines };
      startDownload(await call("POST /v1/exports", { body: { campaign_id: campaignId, ...some } }));
      await queries.invalidateQueries({ queryKey: ["exports"] });
      notify(t("exports.begun"));
    } catch (thrown) {
      notifyFailure(textOf(asApiError(thrown)));
    } finally {
      setBusy(false);
    }
  };
  const label = event
    ? t("recipients.export.some", { what: t(`recipients.groups.${event}`) })
    : t("recipients.export.all");
  useRegisterActions([{ id: "export-recipients", label, icon: Download, run: () => void run() }]);
  return (
    <Button icon={Download} busy={busy} aria-label={label} title={label} onClick={() => void run()}>
      {t("exports.action")}
    </Button>
  );
}
