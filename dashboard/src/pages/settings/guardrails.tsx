/** When a campaign pauses by itself, in numbers that say what they would do. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account, AccountPatch } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatNumber, formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { AccountForm, useSaveAccount } from "./account-form.tsx";

const LIMITS = [
  "hard_bounce_pause_rate",
  "hard_bounce_after_mails",
  "complaint_warn_rate",
  "complaint_pause_rate",
  "complaint_after_mails",
  "complaint_after_complaints",
] as const;
type Limit = (typeof LIMITS)[number];
type Limits = Account["guardrails"];

export function GuardrailSettings() {
  const { t } = useTranslation();
  const save = useSaveAccount();
  const [isAsked, setAsked] = useState(false);
  // The form begins anew with the defaults.
  const [restored, setRestored] = useState(0);
  return (
    <>
      <AccountForm
        key={restored}
        title={t("guardrails.title")}
        lead={t("guardrails.lead")}
        labels={Object.fromEntries(LIMITS.map((name) => [`guardrails.${name}`, t(`guardrails.${name}`)]))}
        patchOf={patchOf}
      >
        {(account) => <LimitFields limits={account.guardrails} />}
      </AccountForm>
      <div>
        <Button onClick={() => setAsked(true)}>{t("guardrails.restore")}</Button>
      </div>
      <hr className="rule" />
      <Holds />
      {isAsked && (
        <ConfirmDialog
          title={t("guardrails.restoreTitle")}
          lead={t("guardrails.restoreLead")}
          action={t("guardrails.restore")}
          onClose={() => setAsked(false)}
          confirm={async () => {
            // What was released stays released, so each limit is named.
            await save({ guardrails: Object.fromEntries(LIMITS.map((name) => [name, null])) });
            setRestored(restored + 1);
            notify(t("settings.saved"));
          }}
        />
      )}
    </>
  );
}

const isRate = (name: Limit) => name.endsWith("_rate");
/** A rate is written in percent; 0.07 × 100 isn't 7 to a computer. */
const shown = (name: Limit, value: number) => String(isRate(name) ? Number((value * 100).toFixed(4)) : value);

function read(name: Limit, text: string): number | null {
  if (text === "") return null;
  return isRate(name) ? Number((Number(text) / 100).toFixed(6)) : Number(text);
}

/** What is no number is sent as it was typed, and the answer says what is wrong with it. */
function patchOf(values: Values): AccountPatch {
  const limits = LIMITS.map((name) => {
    const text = values.text(`guardrails.${name}`).replace(",", ".");
    const value = read(name, text);
    return [name, Number.isNaN(value) ? text : value];
  });
  return { guardrails: Object.fromEntries(limits) };
}

function LimitFields({ limits }: { limits: Limits }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<Readonly<Record<Limit, string>>>(
    () =>
      Object.fromEntries(LIMITS.map((name) => [name, shown(name, limits[name])])) as Record<Limit, string>,
  );
  const presentOf = (name: Limit) => read(name, typed[name].replace(",", ".")) ?? limits[name];
  const field = (name: Limit) => (
    <TextField
      name={`guardrails.${name}`}
      label={t(`guardrails.${name}`)}
      inputMode="decimal"
      autoComplete="off"
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
    />
  );
  /** So many of the mails it takes, once there are enough of them to judge. */
  const example = (rate: Limit, after: Limit, least = 1) => {
    const mails = Math.max(presentOf(after), EXAMPLE_MAILS);
    const count = Math.max(Math.ceil(mails * presentOf(rate)), least);
    return Number.isFinite(mails + count)
      ? { mails: formatNumber(mails), number: formatNumber(count) }
      : undefined;
  };
  const bounces = example("hard_bounce_pause_rate", "hard_bounce_after_mails");
  const warned = example("complaint_warn_rate", "complaint_after_mails");
  const paused = example(
    "complaint_pause_rate",
    "complaint_after_mails",
    presentOf("complaint_after_complaints"),
  );
  return (
    <>
      <h3>{t("guardrails.bounces")}</h3>
      <div className="pair">
        {field("hard_bounce_pause_rate")}
        {field("hard_bounce_after_mails")}
      </div>
      {bounces && <p className="sm mid">{t("guardrails.bouncesDo", bounces)}</p>}
      <h3>{t("guardrails.complaints")}</h3>
      <div className="pair">
        {field("complaint_warn_rate")}
        {field("complaint_pause_rate")}
        {field("complaint_after_mails")}
        {field("complaint_after_complaints")}
      </div>
      <p className="sm mid">
        {warned && t("guardrails.complaintsWarn", warned)} {paused && t("guardrails.complaintsPause", paused)}
      </p>
      <p className="sm dim">{t("guardrails.empty")}</p>
    </>
  );
}

const EXAMPLE_MAILS = 10_000;

function Holds() {
  const { t } = useTranslation();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const save = useSaveAccount();
  const [isAsked, setAsked] = useState(false);
  const at = account?.guardrails.released_at;
  return (
    <section className="stack-4">
      <div>
        <h2>{t("guardrails.holds")}</h2>
        <p className="sm dim">{t("guardrails.holdsLead")}</p>
      </div>
      {account && (
        <p className="sm mid">
          {at ? t("guardrails.releasedAt", { time: formatTime(at) }) : t("guardrails.neverReleased")}
        </p>
      )}
      <div>
        <Button onClick={() => setAsked(true)}>{t("guardrails.release")}</Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={t("guardrails.releaseTitle")}
          lead={t("guardrails.releaseLead")}
          action={t("guardrails.release")}
          onClose={() => setAsked(false)}
          confirm={async () => {
            await save({ guardrails: { released_at: await serviceTime() } });
            notify(t("guardrails.released"));
          }}
        />
      )}
    </section>
  );
}

/** The service's own clock, since a time that lies ahead of it is refused. */
async function serviceTime(): Promise<string> {
  const answer = await fetch("/readyz", { cache: "no-store" });
  const at = new Date(answer.headers.get("date") ?? "");
  return (Number.isNaN(at.getTime()) ? new Date() : at).toISOString();
}
