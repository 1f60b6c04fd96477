/** Campaigns of new accounts that wait for an operator, before any mail of them leaves. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Review } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { TextArea } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";

type Open = { readonly what: "approve" | "refuse"; readonly review: Review } | null;

/** Nothing is shown where nothing waits, as on most instances on most days. */
export function Reviews() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const { data } = useQuery(pageQuery("GET /v1/instance/reviews", { query: { limit: 50 } }));
  const close = () => setOpen(null);
  if (!data || data.data.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="reviews">
      <h3 id="reviews">{t("instance.reviews.title")}</h3>
      <p className="sm dim">{t("instance.reviews.lead")}</p>
      {data.data.map((review) => (
        <div className="note warn" key={review.id}>
          <div className="stack tight grow">
            <b className="break" dir="auto">
              {review.campaign_name}
            </b>
            <span className="break" dir="auto">
              {t("instance.reviews.about", {
                account: review.account_name,
                subject: review.subject,
                number: formatNumber(review.recipients),
              })}
            </span>
            <span className="sm dim">
              <Time at={review.created_at} />
            </span>
          </div>
          <div className="row wrap">
            <Button onClick={() => setOpen({ what: "refuse", review })}>
              {t("instance.reviews.refuse")}
            </Button>
            <Button kind="primary" onClick={() => setOpen({ what: "approve", review })}>
              {t("instance.reviews.approve")}
            </Button>
          </div>
        </div>
      ))}
      {open?.what === "approve" && <Approve review={open.review} onClose={close} />}
      {open?.what === "refuse" && <Refuse review={open.review} onClose={close} />}
    </section>
  );
}

type OfReview = { readonly review: Review; readonly onClose: () => void };

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["instance"] });
}

function Approve({ review: { id, campaign_name: name }, onClose }: OfReview) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("instance.reviews.approveTitle", { name })}
      lead={t("instance.reviews.approveLead")}
      action={t("instance.reviews.approve")}
      onClose={onClose}
      confirm={async () => {
        await call("POST /v1/instance/reviews/{id}/approve", { path: { id } });
        await refresh();
        notify(t("instance.reviews.approved", { name }));
      }}
    />
  );
}

function Refuse({ review: { id, campaign_name: name }, onClose }: OfReview) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("instance.reviews.refuseTitle", { name })}
      lead={t("instance.reviews.refuseLead")}
      action={t("instance.reviews.refuse")}
      onClose={onClose}
      submit={async (values) => {
        const body = { reason: values.text("reason") };
        await call("POST /v1/instance/reviews/{id}/refuse", { path: { id }, body });
        onClose();
        await refresh();
        notify(t("instance.reviews.refused", { name }));
      }}
    >
      <TextArea name="reason" label={t("instance.reason")} hint={t("instance.reasonHint")} maxLength={500} />
    </FormDialog>
  );
}
