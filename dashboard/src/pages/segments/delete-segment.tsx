import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Segment } from "../../api/openapi.ts";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

type Props = { segment: Segment; onDeleted?: () => void; onClose: () => void };

/** Asks, and says which campaigns would be left without their audience. */
export function DeleteSegment({ segment, onDeleted, onClose }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const waiting = useWaitingCampaigns(segment.id);
  return (
    <ConfirmDialog
      title={t("deleteSegment.title", { name: segment.name })}
      lead={
        <>
          {t("deleteSegment.lead")}
          {waiting.length > 0 && (
            <span className="stack used-by">
              <b>{t("deleteSegment.used", { count: waiting.length })}</b>
              {waiting.map(({ id, name }) => (
                <span key={id} className="break" dir="auto">
                  {name}
                </span>
              ))}
            </span>
          )}
        </>
      }
      action={t("deleteSegment.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/segments/{id}", { path: { id: segment.id } });
        onDeleted?.();
        await queries.invalidateQueries({ queryKey: ["segments"] });
        notify(t("deleteSegment.done", { name: segment.name }));
      }}
    />
  );
}

const WAITING = ["draft", "scheduled"] as const;
const MOST = 200;

/** The newest campaigns that aren't sent yet and are for this segment. */
function useWaitingCampaigns(segmentId: string) {
  const found = useQuery({
    queryKey: ["campaigns", "of segment", segmentId],
    queryFn: async ({ signal }) => {
      const { data } = await call("GET /v1/campaigns", { query: { status: WAITING, limit: MOST }, signal });
      return data.filter((one) => one.segment_id === segmentId);
    },
  });
  return found.data ?? [];
}
