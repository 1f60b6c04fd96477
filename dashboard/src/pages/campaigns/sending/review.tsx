/** The last look before a campaign is sent, in two steps: what goes to whom and when, then the question with the exact number. */
import "../../../i18n/later/campaigns/sending.ts";
import "./sending.css";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ArrowRight, CalendarClock, Send } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Campaign, CampaignCheck } from "../../../api/openapi.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { Checkbox } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { campaignQuery } from "../campaign/use-campaign.ts";
import { ConfirmStep, isTyped, mustType, useQuestion } from "./confirm-step.tsx";
import { Gone, Refusal } from "./refusal.tsx";
import { stopsOf } from "./review-checks.tsx";
import { type Plan, ReviewStep, UNDO_SECONDS } from "./review-step.tsx";
import { type Reviewed, useReview } from "./use-review.ts";
import { momentOfSaid, NOTHING_SAID } from "./when/when-fields.tsx";

type ReviewAndSendProps = {
  campaign: Pick<Campaign, "id" | "name">;
  /** Saves what was typed; false where that didn't succeed. */
  save: () => Promise<boolean>;
  onClose: () => void;
  /** Leads to the place of a check, once the dialog has closed. */
  onShow?: (check: CampaignCheck) => void;
};

export function ReviewAndSend({ campaign, save, onClose, onShow }: ReviewAndSendProps) {
  const { t } = useTranslation();
  const { review, again } = useReview(campaign.id, save);
  const show =
    onShow &&
    ((check: CampaignCheck) => {
      onClose();
      onShow(check);
    });
  if (review.state === "ready")
    return <Steps reviewed={review.reviewed} again={() => again("read")} onClose={onClose} onShow={show} />;
  const isLoading = review.state === "loading";
  return (
    <Dialog
      title={t("sending.review.title", { name: campaign.name })}
      lead={isLoading ? t("sending.review.loading") : undefined}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("sending.review.keep")}
          </Button>
          {!isLoading && (
            <Button kind="primary" onClick={() => void again()}>
              {t("do.tryAgain")}
            </Button>
          )}
        </>
      }
    >
      {isLoading && <div className="skel review-skel" />}
      {review.state === "unsaved" && <p className="note danger">{t("sending.review.unsaved")}</p>}
      {review.state === "failed" && <Unread error={review.error} />}
    </Dialog>
  );
}

function Unread({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  if (error.status === 404) return <Gone />;
  return (
    <>
      <p>{t("sending.review.unreadable")}</p>
      <ProblemNote error={error} />
    </>
  );
}

type StepsProps = {
  reviewed: Reviewed;
  again: () => Promise<Reviewed | undefined>;
  onClose: () => void;
  onShow: ((check: CampaignCheck) => void) | undefined;
};

function Steps({ reviewed, again, onClose, onShow }: StepsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [plan, setPlan] = useState<Plan>({ isLater: false, said: NOTHING_SAID });
  const [step, setStep] = useState<"review" | "confirm">("review");
  const [typed, setTyped] = useState("");
  const [isMissing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ApiError>();
  const [quota, setQuota] = useState<Quota>("enough");
  const number = useRef<HTMLInputElement>(null);
  const onward = useRef<HTMLButtonElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const before = useRef({ step, busy });
  // The button that led here is gone, or was switched off meanwhile, and the focus with it.
  useEffect(() => {
    if (busy) {
      before.current.busy = true;
      return;
    }
    const isLost = before.current.busy && document.activeElement === document.body;
    const isOther = before.current.step !== step;
    before.current = { step, busy };
    if (isOther || isLost) (step === "review" ? onward.current : (number.current ?? back.current))?.focus();
  }, [step, busy]);
  const form = useId();
  const { id } = reviewed.campaign;
  const at = plan.isLater ? momentOfSaid(plan.said) : undefined;
  const { title, action } = useQuestion(reviewed, at);
  const people = reviewed.audience.will_get;
  const isAllowed = reviewed.campaign.allowed_actions.includes(plan.isLater ? "schedule" : "send");
  const isStopped = !isAllowed || stopsOf(reviewed.checks).length > 0 || (people === 0 && !plan.isLater);

  const goOn = async () => {
    if (plan.isLater && !at) return setMissing(true);
    setMissing(false);
    setRefused(undefined);
    setBusy(true);
    // The number in the question is of now, and not of when the dialog was opened.
    const now = await again();
    setBusy(false);
    // What somebody else changed since it was shown is to be looked at first.
    if (now && now.etag !== reviewed.etag) setRefused(new ApiError(CHANGED));
    else setStep("confirm");
  };
  const send = async () => {
    if (mustType(people) && !isTyped(typed, people)) {
      setMissing(true);
      return number.current?.focus();
    }
    setBusy(true);
    setRefused(undefined);
    try {
      // What was saved last is kept as a draft, and the page of a draft would lead back to where it is written.
      queries.setQueryData(campaignQuery(id).queryKey, await leave(reviewed, at, quota));
    } catch (thrown) {
      const error = asApiError(thrown);
      setRefused(error);
      if (error.faults.some(({ code }) => code === "quota_reached")) setQuota("short");
      setStep("review");
      setTyped("");
      setMissing(false);
      await again();
      return;
    } finally {
      setBusy(false);
    }
    onClose();
    await navigate({ to: "/campaigns/$id", params: { id } });
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  const isReview = step === "review";
  return (
    <Dialog
      title={isReview ? t("sending.review.title", { name: reviewed.campaign.name }) : title}
      onClose={onClose}
      footer={
        isReview ? (
          <>
            <Button kind="quiet" onClick={onClose}>
              {t("sending.review.keep")}
            </Button>
            {!isStopped && (
              <Button ref={onward} kind="primary" icon={ArrowRight} busy={busy} onClick={() => void goOn()}>
                {t("sending.review.goOn")}
              </Button>
            )}
          </>
        ) : (
          <>
            <Button ref={back} kind="quiet" onClick={() => setStep("review")}>
              {t("sending.review.back")}
            </Button>
            <Button kind="go" type="submit" form={form} icon={at ? CalendarClock : Send} busy={busy}>
              {action}
            </Button>
          </>
        )
      }
    >
      {refused && <Refusal error={refused} campaign={reviewed.campaign} />}
      {isReview && quota !== "enough" && (
        <Checkbox
          label={t("sending.quota.pause")}
          hint={t("sending.quota.pauseHint")}
          checked={quota === "pause"}
          onChange={({ target }) => setQuota(target.checked ? "pause" : "short")}
        />
      )}
      {isReview ? (
        <ReviewStep reviewed={reviewed} plan={plan} change={setPlan} isMissing={isMissing} onShow={onShow} />
      ) : (
        <form
          id={form}
          className="stack-4"
          onSubmit={(submitted) => {
            submitted.preventDefault();
            if (!busy) void send();
          }}
        >
          <ConfirmStep
            reviewed={reviewed}
            at={at}
            typed={typed}
            setTyped={setTyped}
            isMissing={isMissing}
            number={number}
          />
        </form>
      )}
    </Dialog>
  );
}

/** This is what the service itself answers where another version was shown. */
const CHANGED = { status: 412, code: "precondition_failed", detail: "" };

/** Whether the account has mails for all: it has, or it hasn't, or it hasn't and the campaign is to pause where they end. */
type Quota = "enough" | "short" | "pause";

/** Sends exactly the version that was shown, or plans it. */
function leave({ campaign: { id }, etag }: Reviewed, at: Date | undefined, quota: Quota): Promise<Campaign> {
  const how = { path: { id }, ifMatch: etag };
  const pausing = quota === "pause" ? { on_quota: "pause" as const } : {};
  return at
    ? call("POST /v1/campaigns/{id}/schedule", { ...how, body: { send_at: at.toISOString(), ...pausing } })
    : call("POST /v1/campaigns/{id}/send", { ...how, body: { undo_seconds: UNDO_SECONDS, ...pausing } });
}
