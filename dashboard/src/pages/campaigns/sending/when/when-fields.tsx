/** When a campaign shall leave: typed as one would say it, or chosen in the calendar; and how that was understood. */
import { useQuery } from "@tanstack/react-query";
import { CalendarClock, CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { query } from "../../../../api/queries.ts";
import { Button } from "../../../../kit/button.tsx";
import { TextField } from "../../../../kit/forms/field.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { readClockTime, readWhen, type When } from "./read-when.ts";
import { OWN_ZONE, spellClock, spellMoment, spellSpan, spellZone } from "./spell.ts";
import { clockTimeIn } from "./zones.ts";

/** What the person last did: typed words, used the calendar, or pressed one of the offered times. */
export type Said =
  | { readonly by: "words"; readonly text: string }
  | { readonly by: "calendar"; readonly value: string }
  | { readonly by: "choice"; readonly at: Date };

export const NOTHING_SAID: Said = { by: "words", text: "" };

function whenOf(said: Said, now = new Date()): When {
  const place = { now, zone: OWN_ZONE };
  if (said.by === "words") return readWhen(said.text, place);
  if (said.by === "calendar") return readClockTime(said.value, place);
  return said.at > now ? { kind: "at", at: said.at } : { kind: "past", at: said.at };
}

/** The time that is meant, where it is clear. */
export function momentOfSaid(said: Said): Date | undefined {
  const when = whenOf(said);
  return when.kind === "at" ? when.at : undefined;
}

type WhenFieldsProps = {
  said: Said;
  change: (said: Said) => void;
  /** Whether somebody wanted to go on without a time. */
  isMissing: boolean;
};

export function WhenFields({ said, change, isMissing }: WhenFieldsProps) {
  const { t } = useTranslation();
  const when = whenOf(said);
  const text = said.by === "words" ? said.text : said.by === "choice" ? spellMoment(said.at) : "";
  return (
    <div className="stack when-fields">
      <div className="when-inputs">
        <TextField
          name="send_at"
          label={t("sending.when.words")}
          placeholder={t("sending.when.placeholder")}
          autoComplete="off"
          value={text}
          fault={isMissing && when.kind === "empty" ? t("sending.when.empty") : undefined}
          onChange={({ target }) => change({ by: "words", text: target.value })}
        />
        <TextField
          name="send_at_calendar"
          type="datetime-local"
          label={t("sending.when.calendar")}
          value={said.by === "calendar" ? said.value : when.kind === "at" ? forCalendar(when.at) : ""}
          onChange={({ target }) => change({ by: "calendar", value: target.value })}
        />
      </div>
      <div aria-live="polite">
        <Understood when={when} choose={(at) => change({ by: "choice", at })} />
      </div>
    </div>
  );
}

function forCalendar(at: Date): string {
  const { year, month, day, hour, minute } = clockTimeIn(at, OWN_ZONE);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

function Understood({ when, choose }: { when: When; choose: (at: Date) => void }) {
  const { t } = useTranslation();
  if (when.kind === "empty") return null;
  if (when.kind === "at") return <Moment at={when.at} again={when.again} />;
  if (when.kind === "choose" || when.kind === "gap") {
    const choices = when.kind === "choose" ? when.choices : [when.at];
    return (
      <div className="note warn">
        <Icon of={CircleAlert} />
        <div className="stack">
          <span>
            {when.kind === "choose"
              ? t(`sending.when.choose.${when.because}`)
              : t("sending.when.gap", { time: spellClock(when.at) })}
          </span>
          <span className="row wrap">
            {choices.map((at) => (
              <Button key={at.getTime()} size="sm" onClick={() => choose(at)}>
                {t("sending.when.take", { time: spellMoment(at) })}
              </Button>
            ))}
          </span>
        </div>
      </div>
    );
  }
  return (
    <p className="err row top c-danger sm">
      <Icon of={CircleAlert} size="sm" />
      <span className="break">
        <FaultText when={when} />
      </span>
    </p>
  );
}

type Fault = Exclude<When, { kind: "empty" | "at" | "choose" | "gap" }>;

function FaultText({ when }: { when: Fault }) {
  const { t } = useTranslation();
  switch (when.kind) {
    case "past":
      return t("sending.when.past", { when: spellMoment(when.at) });
    case "too_far":
      return t("sending.when.tooFar", { when: spellMoment(when.at) });
    case "wrong_weekday":
      return t("sending.when.wrongWeekday", { when: spellMoment(when.at) });
    case "no_time":
      return t("sending.when.noTime");
    case "impossible":
      return t("sending.when.impossible");
    case "unclear":
      return t("sending.when.unclear", { words: when.words.slice(0, 80) });
  }
}

/** The time as it was understood, in the person's zone by its name, and in the account's where its clocks differ. */
export function Moment({ at, again }: { at: Date; again?: Date | undefined }) {
  const { t } = useTranslation();
  return (
    <div className="row top sm">
      <span className="c-accent">
        <Icon of={CalendarClock} />
      </span>
      <div>
        <b className="strong">{spellMoment(at)}</b>
        <MomentDetails at={at} />
        {again && <div className="dim">{t("sending.when.twice", { time: spellClock(at) })}</div>}
      </div>
    </div>
  );
}

type MomentDetailsProps = {
  at: Date;
  /** How far it is away by the service's clock, where that is known. */
  aheadMs?: number | undefined;
};

/** The zone of a time, how far it is away, and what the account's clocks show then. */
export function MomentDetails({ at, aheadMs = at.getTime() - Date.now() }: MomentDetailsProps) {
  const { t } = useTranslation();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const zone = account?.time_zone;
  const isOther = zone !== undefined && spellMoment(at, zone) !== spellMoment(at);
  const own = spellZone(OWN_ZONE);
  return (
    <div className="dim sm">
      <div>{aheadMs > 0 ? t("sending.when.zoneIn", { zone: own, span: spellSpan(aheadMs) }) : own}</div>
      {isOther && (
        <div>{t("sending.when.accountZone", { when: spellMoment(at, zone), zone: spellZone(zone) })}</div>
      )}
    </div>
  );
}
