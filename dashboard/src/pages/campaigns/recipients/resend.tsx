/** Offers a draft for those who neither opened nor clicked, and says why the others are left out. */
import "../../../i18n/later/campaigns/recipients.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { CampaignResend } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { SkeletonLines } from "../../../kit/states.tsx";
import "./recipients.css";

type ResendProps = {
  campaign: { readonly id: string; readonly name: string };
  onClose: () => void;
};

export function ResendDialog({ campaign: { id, name }, onClose }: ResendProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ApiError>();
  // Who opened meanwhile isn't told by events, so it is counted at each opening.
  const counted = useQuery({ ...query("GET /v1/campaigns/{id}/resend", { path: { id } }), staleTime: 0 });
  const counts = counted.data;
  const make = async () => {
    setBusy(true);
    setRefused(undefined);
    try {
      const draft = await call("POST /v1/campaigns/{id}/resend", { path: { id } });
      await Promise.all(
        ["campaigns", "segments"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
      );
      await navigate({ to: "/campaigns/$id/edit", params: { id: draft.id } });
    } catch (thrown) {
      setRefused(asApiError(thrown));
      setBusy(false);
    }
  };
  const error = refused ?? (counted.error ? asApiError(counted.error) : undefined);
  const canMake = counts !== undefined && counts.will_get > 0;
  return (
    <Dialog
      title={t("recipients.resend.title")}
      lead={t("recipients.resend.lead", { name })}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {canMake ? t("do.cancel") : t("do.close")}
          </Button>
          {canMake && (
            <Button kind="primary" busy={busy} onClick={() => void make()}>
              {t("recipients.resend.action")}
            </Button>
          )}
        </>
      }
    >
      {counts && <Counts counts={counts} />}
      {!counts && !error && <SkeletonLines lines={4} />}
      {canMake && <p className="mid sm">{t("recipients.resend.afterwards")}</p>}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

function Counts({ counts }: { counts: CampaignResend }) {
  const { t } = useTranslation();
  const parts = (["engaged", "unseen", "gone"] as const).filter((part) => counts[part] > 0);
  return (
    <div className="stack resend-counts">
      <p className="resend-get">
        <b>{formatNumber(counts.will_get)}</b> {t("recipients.resend.willGet", { count: counts.will_get })}
      </p>
      <dl>
        <dt className="num">{formatNumber(counts.sent)}</dt>
        <dd>{t("recipients.resend.sent")}</dd>
        {parts.map((part) => (
          <div key={part}>
            <dt className="num">{`− ${formatNumber(counts[part])}`}</dt>
            <dd>
              {t(`recipients.resend.${part}`)}
              {part === "unseen" && <span className="hint">{t("recipients.resend.unseenWhy")}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
