/** The first step: what goes to whom, from whom and by which server, what stands in the way, and when. */
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { AudienceSum } from "./audience-sum.tsx";
import { ReviewChecks } from "./review-checks.tsx";
import { type Reviewed, senderOf } from "./use-review.ts";
import { OWN_ZONE, spellClock, spellZone } from "./when/spell.ts";
import { type Said, WhenFields } from "./when/when-fields.tsx";

export type Plan = { readonly isLater: boolean; readonly said: Said };

/** How long what was sent can be taken back. */
export const UNDO_SECONDS = 30;

type ReviewStepProps = {
  reviewed: Reviewed;
  plan: Plan;
  change: (plan: Plan) => void;
  /** Whether somebody wanted to go on without a time. */
  isMissing: boolean;
  onShow: ((check: CampaignCheck) => void) | undefined;
};

export function ReviewStep({ reviewed, plan, change, isMissing, onShow }: ReviewStepProps) {
  const { t } = useTranslation();
  const { audience, checks } = reviewed;
  return (
    <>
      <Facts reviewed={reviewed} />
      <AudienceSum audience={audience} />
      {audience.will_get === 0 && !plan.isLater && (
        <div className="note danger" role="alert">
          <div>
            <b>{t("sending.review.nobody")}</b>
            <div>{t(audience.on_list === 0 ? "sending.review.emptyList" : "sending.review.nobodyText")}</div>
          </div>
        </div>
      )}
      {audience.takes_days !== null && audience.takes_days > 1 && (
        <p className="note warn">
          {t("sending.review.takesDays", { number: formatNumber(audience.takes_days) })}
        </p>
      )}
      <ReviewChecks checks={checks} onShow={onShow} />
      <WhenChoice plan={plan} change={change} isMissing={isMissing} />
    </>
  );
}

function Facts({ reviewed }: { reviewed: Reviewed }) {
  const { t } = useTranslation();
  const { campaign, list, segment, topic } = reviewed;
  const { name, email } = senderOf(reviewed);
  return (
    <dl className="kv">
      <dt>{t("sending.review.to")}</dt>
      <dd className="break" dir="auto">
        {segment ? t("sending.review.toSegment", { segment: segment.name, list: list.name }) : list.name}
      </dd>
      {topic && (
        <>
          <dt>{t("sending.review.topic")}</dt>
          <dd className="break" dir="auto">
            {topic.name}
          </dd>
        </>
      )}
      <dt>{t("sending.review.from")}</dt>
      <dd className="break" dir="auto">
        {[name, email].filter(Boolean).join(" · ") || t("sending.review.fromNobody")}
      </dd>
      <dt>{t("sending.review.subject")}</dt>
      <dd className="break" dir="auto">
        {campaign.subject}
      </dd>
      <dt>{t("sending.review.leavesBy")}</dt>
      <dd className="break">{useServer(reviewed.sending)}</dd>
    </dl>
  );
}

/** The server that mail leaves by, or the sandbox, in which it stays. */
export function useServer({ leaves_by: by, host }: Reviewed["sending"]): string {
  const { t } = useTranslation();
  if (by === "sandbox") return t("sending.review.sandbox");
  return by === "transport" && host ? host : t("sending.review.instance");
}

function WhenChoice({ plan, change, isMissing }: Pick<ReviewStepProps, "plan" | "change" | "isMissing">) {
  const { t } = useTranslation();
  const choices = [
    {
      isLater: false,
      label: t("sending.when.now"),
      hint: t("sending.when.nowHint", { seconds: UNDO_SECONDS }),
    },
    {
      isLater: true,
      label: t("sending.when.at"),
      hint: t("sending.when.atHint", { zone: spellZone(OWN_ZONE), time: spellClock(new Date()) }),
    },
  ];
  return (
    <fieldset className="when">
      <legend className="sr">{t("sending.when.legend")}</legend>
      {choices.map(({ isLater, label, hint }) => (
        <div key={label} className={plan.isLater === isLater ? "when-choice on" : "when-choice"}>
          <label>
            <input
              type="radio"
              name="when"
              checked={plan.isLater === isLater}
              onChange={() => change({ ...plan, isLater })}
            />
            <span>
              <span className="med">{label}</span>
              <span className="hint sm dim">{hint}</span>
            </span>
          </label>
          {isLater && plan.isLater && (
            <WhenFields said={plan.said} change={(said) => change({ ...plan, said })} isMissing={isMissing} />
          )}
        </div>
      ))}
    </fieldset>
  );
}
