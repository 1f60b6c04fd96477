import "../../../i18n/later/settings/warmup.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleStop, Pause, Play } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Transport, Warmup } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatDate, formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Chart } from "../../../kit/charts/chart.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { Form } from "../../../kit/forms/form.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { numberIn } from "./server-fields.tsx";

/** How a server is made known to mailbox providers: the plan, and what was planned and sent on each day. */
export function WarmUp({ server: { id, has_warmup: isThere } }: { server: Transport }) {
  const { t } = useTranslation();
  const found = useQuery({ ...query("GET /v1/transports/{id}/warmup", { path: { id } }), enabled: isThere });
  const plan = isThere ? found.data : undefined;
  return (
    <section className="panel" aria-label={t("warmup.title")}>
      <div className="panel-h wrap">
        <h3>{t("warmup.title")}</h3>
        {plan && (
          <span className={plan.status === "running" ? "badge accent" : "badge"}>
            {t(`warmup.${plan.status}`)}
          </span>
        )}
        <span className="grow" />
        {plan && (
          <span className="row">
            <PlanActions plan={plan} />
          </span>
        )}
      </div>
      {isThere && !plan ? (
        <div className="panel-b">
          {found.error ? (
            <Failure title={t("warmup.unreadable")} error={found.error} retry={() => void found.refetch()} />
          ) : (
            <SkeletonLines />
          )}
        </div>
      ) : (
        <>
          {plan && <Providers plan={plan} />}
          <PlanForm key={plan?.updated_at ?? "none"} id={id} plan={plan} />
        </>
      )}
    </section>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["transports"] });
}

function PlanActions({ plan: { transport_id: id, status } }: { plan: Warmup }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [isEnding, setEnding] = useState(false);
  const path = { id };
  const isRunning = status === "running";
  const { isBusy, run } = useAct(async () => {
    await (isRunning
      ? call("POST /v1/transports/{id}/warmup/pause", { path })
      : call("POST /v1/transports/{id}/warmup/resume", { path }));
    await refresh();
  });
  return (
    <>
      <Button size="sm" icon={isRunning ? Pause : Play} busy={isBusy} onClick={run}>
        {t(isRunning ? "warmup.pause" : "warmup.resume")}
      </Button>
      <Button size="sm" kind="quiet" icon={CircleStop} onClick={() => setEnding(true)}>
        {t("warmup.end")}
      </Button>
      {isEnding && (
        <ConfirmDialog
          title={t("warmup.endTitle")}
          lead={t("warmup.endLead")}
          action={t("warmup.end")}
          onClose={() => setEnding(false)}
          confirm={async () => {
            await call("DELETE /v1/transports/{id}/warmup", { path });
            await refresh();
            notify(t("warmup.ended"));
          }}
        />
      )}
    </>
  );
}

function PlanForm({ id, plan }: { id: string; plan: Warmup | undefined }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const typed = { autoComplete: "off", spellCheck: false } as const;
  return (
    <div className="panel-b">
      <Form
        submit={async (values) => {
          const numberOf = (name: string) => numberIn(values.text(name)) ?? 0;
          await call("PUT /v1/transports/{id}/warmup", {
            path: { id },
            body: {
              start_per_day: numberOf("start_per_day"),
              growth: numberOf("growth"),
              target_per_day: numberOf("target_per_day"),
            },
          });
          await refresh();
          notify(t("warmup.saved"));
        }}
      >
        {({ busy, note }) => (
          <>
            <p className="sm dim">{t("warmup.lead")}</p>
            <div className="pair">
              <TextField
                name="start_per_day"
                label={t("warmup.start")}
                hint={t("warmup.startHint")}
                inputMode="numeric"
                defaultValue={plan?.start_per_day ?? 200}
                {...typed}
              />
              <TextField
                name="growth"
                label={t("warmup.growth")}
                hint={t("warmup.growthHint")}
                inputMode="decimal"
                defaultValue={plan?.growth ?? 1.5}
                {...typed}
              />
              <TextField
                name="target_per_day"
                label={t("warmup.target")}
                inputMode="numeric"
                defaultValue={plan?.target_per_day ?? 50_000}
                {...typed}
              />
            </div>
            {note}
            <div className="row">
              <Button type="submit" busy={busy}>
                {t(plan ? "warmup.save" : "warmup.begin")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </div>
  );
}

/** What was planned against what was sent, a small chart for each provider. */
function Providers({ plan: { providers, status } }: { plan: Warmup }) {
  const { t } = useTranslation();
  return (
    <div className="panel-b stack-4">
      {status === "paused" && <p className="note warn">{t("warmup.pausedText")}</p>}
      {providers.length === 0 && <p className="sm dim">{t("warmup.nothing")}</p>}
      {providers.toSorted(othersLast).map((one) => (
        <section key={one.provider} className="stack tight" aria-label={one.name}>
          <div className="row wrap">
            <h4>{one.name}</h4>
            <span className="sm dim num">{t("warmup.perDay", { number: formatNumber(one.per_day) })}</span>
            {one.is_at_target && <span className="badge accent">{t("warmup.atTarget")}</span>}
          </div>
          <Days name={one.name} days={one.days} />
          <Steps of={one} />
        </section>
      ))}
    </div>
  );
}

type Provider = Warmup["providers"][number];

/** The mailboxes of no known provider come last. */
const othersLast = (one: Provider, other: Provider) =>
  Number(one.provider === "other") - Number(other.provider === "other");

/** What became of the last day, why it allowed what it did, and what the next one will. */
function Steps({ of: { days, reason, next } }: { of: Provider }) {
  const { t } = useTranslation();
  const last = days.at(-1);
  const before = days.at(-2);
  if (!last) return null;
  const { sent, hard_bounces: hard, deferred, complaints } = last;
  const because = (why: Reason, day: Day | undefined) => t(`warmup.because.${why}`, wordsOf(day));
  return (
    <div className="stack tight sm mid">
      <p>
        {[
          t("warmup.lastDay", { day: formatDate(last.day), sent: formatNumber(sent) }),
          t("warmup.hard", { number: formatNumber(hard), share: shareOf(hard, sent) }),
          t("warmup.deferred", { number: formatNumber(deferred), share: shareOf(deferred, sent + deferred) }),
          complaints === null
            ? t("warmup.complaintsUnknown")
            : t("warmup.complaints", { number: formatNumber(complaints), share: shareOf(complaints, sent) }),
        ].join(" · ")}
      </p>
      {reason && (
        <p>{t("warmup.step", { number: formatNumber(last.planned), because: because(reason, before) })}</p>
      )}
      <p>{t("warmup.next", { number: formatNumber(next.per_day), because: because(next.reason, last) })}</p>
    </div>
  );
}

type Day = Provider["days"][number];
type Reason = Provider["next"]["reason"];

const shareOf = (part: number, whole: number) => formatFineShare(whole === 0 ? 0 : part / whole);

/** The figures that the rules look at. The least that has to be sent is as the service has it. */
function wordsOf(day: Day | undefined) {
  const { planned = 0, sent = 0, hard_bounces: hard = 0, deferred = 0, complaints = 0 } = day ?? {};
  return {
    least: formatNumber(Math.ceil(planned * LEAST_USED)),
    sent: formatNumber(sent),
    hard: shareOf(hard, sent),
    deferred: shareOf(deferred, sent + deferred),
    complained: shareOf(complaints ?? 0, sent),
  };
}

const LEAST_USED = 0.7;

/** One day makes no line. */
function Days({ name, days }: Pick<Provider, "name" | "days">) {
  const { t } = useTranslation();
  const [first] = days;
  if (first && days.length === 1) {
    const [day, sent, planned] = [
      formatDate(first.day),
      formatNumber(first.sent),
      formatNumber(first.planned),
    ];
    return <p className="sm">{t("warmup.oneDay", { day, sent, planned })}</p>;
  }
  return (
    <Chart
      times={days.map(({ day }) => Date.parse(day))}
      caption={t("warmup.caption", { name })}
      timeHeading={t("warmup.day")}
      height={120}
      formatAt={formatDate}
      series={[
        {
          label: t("warmup.planned"),
          colour: "--chart-2",
          look: "line",
          values: days.map(({ planned }) => planned),
        },
        {
          label: t("warmup.sent"),
          colour: "--chart-1",
          look: "filled",
          values: days.map(({ sent }) => sent),
        },
      ]}
    />
  );
}
