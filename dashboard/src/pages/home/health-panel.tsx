import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Account, SendingStats } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatNumber, formatRate } from "../../i18n/format.ts";

const DAYS = 30;
type Guardrails = Account["guardrails"];

/** What became of the mail of the last weeks, held against the account's guardrails. */
export function HealthPanel({ guardrails }: { guardrails: Guardrails }) {
  const { t } = useTranslation();
  const { data: sending } = useQuery(query("GET /v1/sending", {}));
  const isSandbox = sending?.leaves_by === "sandbox";
  const { data: stats } = useQuery({
    ...query("GET /v1/stats/sending", { query: { days: DAYS, sandbox: isSandbox } }),
    enabled: sending !== undefined,
  });
  return (
    <section className="stack health">
      <div className="sect-h">
        <h2>{t("home.health")}</h2>
        <span className="end dim sm">{t("home.days", { count: DAYS, number: formatNumber(DAYS) })}</span>
      </div>
      {sending && (
        <p className="sm dim break">
          {isSandbox
            ? t("home.inSandbox")
            : sending.host
              ? t("home.byServer", { host: sending.host })
              : t("home.byInstance")}
        </p>
      )}
      {stats && stats.sent + stats.failed === 0 && <p className="sm dim">{t("home.nothingSent")}</p>}
      {stats && stats.sent + stats.failed > 0 && <Meters stats={stats} guardrails={guardrails} />}
    </section>
  );
}

function Meters({ stats, guardrails }: { stats: SendingStats; guardrails: Guardrails }) {
  const { t } = useTranslation();
  const { rates } = stats;
  const {
    hard_bounce_pause_rate: bouncePause,
    complaint_pause_rate: pause,
    complaint_warn_rate: warn,
  } = guardrails;
  return (
    <>
      <Meter label={t("home.delivered")} rate={rates.delivery} most={1} />
      <Meter label={t("home.bounced")} rate={rates.hard_bounce} most={bouncePause} isLimit>
        <span />
        <span>{t("home.pausesAt", { rate: formatRate(bouncePause) })}</span>
      </Meter>
      <Meter label={t("home.complained")} rate={rates.complaint} most={pause} tick={warn} isLimit>
        <span>{t("home.warnsAt", { rate: formatRate(warn) })}</span>
        <span>{t("home.pausesAt", { rate: formatRate(pause) })}</span>
      </Meter>
    </>
  );
}

type MeterProps = {
  label: string;
  rate: number;
  /** What the whole width stands for. */
  most: number;
  tick?: number;
  /** Whether the end of the bar is something to stay away from. */
  isLimit?: boolean;
  children?: React.ReactNode;
};

function Meter({ label, rate, most, tick, isLimit = false, children }: MeterProps) {
  const part = (value: number) => `${Math.min(100, (value / most) * 100)}%`;
  const isOver = isLimit && rate >= most;
  return (
    <div className="stack tight">
      <div className="row between sm">
        <span>{label}</span>
        <b className={isOver ? "num strong c-danger" : "num strong"}>{formatRate(rate)}</b>
      </div>
      <div className={isOver ? "meter over" : "meter"} aria-hidden="true">
        <i style={{ width: part(rate) }} />
        {tick !== undefined && <u style={{ insetInlineStart: part(tick) }} />}
        {isLimit && <u style={{ insetInlineStart: "100%" }} />}
      </div>
      {children && <div className="row between xs dim">{children}</div>}
    </div>
  );
}
