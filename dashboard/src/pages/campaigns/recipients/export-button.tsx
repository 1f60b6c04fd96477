import { ofAccount } from "../../../api/account.ts";
import "../../../i18n/later/campaigns/recipients.ts";
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
import { followDownload, startDownload } from "../../exports/download.ts";
import type { Narrowed, RecipientEvent } from "./search.ts";

type ExportProps = {
  campaignId: string;
  /** Only those to whom this happened; everybody where there is none. */
  event?: RecipientEvent | undefined;
  machines?: boolean;
  /** What the table is narrowed to, where that is no event. */
  narrowed?: Narrowed | undefined;
};

/** The recipients as a file: everybody, or exactly those who are shown. */
export function ExportRecipients({ campaignId, event, machines = false, narrowed }: ExportProps) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (narrowed) {
      const asked = new URLSearchParams(Object.entries(narrowed));
      return followDownload(
        ofAccount(`/v1/campaigns/${encodeURIComponent(campaignId)}/recipients/download?${asked}`),
      );
    }
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
  const label = narrowed
    ? t("recipients.export.shown")
    : event
      ? t("recipients.export.some", { what: t(`recipients.groups.${event}`) })
      : t("recipients.export.all");
  useRegisterActions([{ id: "export-recipients", label, icon: Download, run: () => void run() }]);
  return (
    <Button
      needs="campaigns:export"
      icon={Download}
      busy={busy}
      aria-label={label}
      title={label}
      onClick={() => void run()}
    >
      {t("exports.action")}
    </Button>
  );
}
