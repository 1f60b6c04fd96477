/** The second step: the same in one plain question, with the exact number, which is typed where it is large. */
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/format.ts";
import { TextField } from "../../../kit/forms/field.tsx";
import { UNDO_SECONDS, useServer } from "./review-step.tsx";
import { type Reviewed, senderOf } from "./use-review.ts";
import { spellDuration, spellMoment, spellShortly } from "./when/spell.ts";
import { Moment } from "./when/when-fields.tsx";

/** Above this many people, the number has to be typed. */
const TYPED_ABOVE = 1_000;

export const mustType = (people: number) => people > TYPED_ABOVE;
export const isTyped = (typed: string, people: number) => typed.replaceAll(/\D/g, "") === String(people);

/** The question and the answer on the button, in the same words. */
export function useQuestion({ campaign, audience }: Reviewed, at: Date | undefined) {
  const { t } = useTranslation();
  const people = { count: audience.will_get, number: formatNumber(audience.will_get) };
  const { name } = campaign;
  if (at)
    return {
      title: t("sending.confirm.titleAt", { name, when: spellMoment(at) }),
      action: t("sending.confirm.sendAt", { when: spellShortly(at) }),
    };
  return {
    title: t("sending.confirm.titleNow", { name, ...people }),
    action: t("sending.confirm.sendNow", people),
  };
}

type ConfirmStepProps = {
  reviewed: Reviewed;
  at: Date | undefined;
  typed: string;
  setTyped: (typed: string) => void;
  isMissing: boolean;
  number: RefObject<HTMLInputElement | null>;
};

export function ConfirmStep({ reviewed, at, typed, setTyped, isMissing, number }: ConfirmStepProps) {
  const { t } = useTranslation();
  const { sending, audience } = reviewed;
  const server = useServer(sending);
  const { name, email } = senderOf(reviewed);
  const people = audience.will_get;
  const rate = sending.rate_per_second;
  return (
    <>
      <div className="stack">
        <p>
          {t("sending.confirm.lead", { from: email ?? name ?? "" })}{" "}
          {sending.leaves_by === "sandbox"
            ? t("sending.confirm.bySandbox")
            : t("sending.confirm.byServer", { server })}{" "}
          {rate !== null &&
            people > 0 &&
            t("sending.confirm.takes", {
              rate: formatNumber(rate),
              span: spellDuration((people / rate) * 1_000),
            })}
        </p>
        {at ? (
          <>
            <p>{t("sending.confirm.atCounts", { count: people, number: formatNumber(people) })}</p>
            <Moment at={at} />
          </>
        ) : (
          <p>{t("sending.confirm.undo", { seconds: UNDO_SECONDS })}</p>
        )}
      </div>
      {mustType(people) && (
        <TextField
          ref={number}
          name="people"
          label={t("sending.confirm.type")}
          hint={t("sending.confirm.typeHint", { number: formatNumber(TYPED_ABOVE) })}
          placeholder={formatNumber(people)}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          fault={
            isMissing && !isTyped(typed, people)
              ? t("sending.confirm.typed", { number: formatNumber(people) })
              : undefined
          }
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </>
  );
}
