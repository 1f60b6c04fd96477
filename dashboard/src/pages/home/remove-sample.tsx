import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { SampleData } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

/** Asks before the sample data goes, and says what goes and what stays. */
export function RemoveSample({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // It is read anew for each opening, because the numbers must be those of now.
  const { data: sample } = useQuery({ ...query("GET /v1/sample_data", {}), staleTime: 0, gcTime: 0 });
  const isNone = sample !== undefined && sample.list_id === null;
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isNone) return;
    notify(t("sample.none"));
    close.current();
  }, [isNone, t]);
  if (!sample || isNone) return null;
  return (
    <ConfirmDialog
      title={t("sample.title")}
      lead={<Lead sample={sample} />}
      action={t("sample.remove")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/sample_data", {});
        await queries.invalidateQueries();
        notify(t("sample.removed"));
      }}
    />
  );
}

function Lead({ sample }: { sample: SampleData }) {
  const { t } = useTranslation();
  const { subscribers, own_subscribers: own, drafts, campaigns } = sample;
  const say = (key: "lead" | "drafts" | "campaigns" | "own" | "ownLead", count: number) =>
    t(`sample.${key}`, { count, number: formatNumber(count) });
  const sentences =
    own > 0
      ? [say("ownLead", subscribers), say("own", own)]
      : [
          say("lead", subscribers),
          drafts > 0 && say("drafts", drafts),
          campaigns > 0 && say("campaigns", campaigns),
        ];
  return sentences.filter(Boolean).join(" ");
}
