/** The speed of the last quarter of an hour, as a chart that is loaded by itself, and as a table. */
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignStats } from "../../../api/openapi.ts";
import { formatClock } from "../../../i18n/format.ts";
import { Chart } from "../../../kit/charts/chart.tsx";
import { byMinute, keepSamples, readSamples, speedOf, withSample } from "./speed-samples.ts";

/** Fewer make no line. */
const LEAST_POINTS = 2;

function useSpeed({ campaign_id: id, as_of: asOf, sent, failed, unknown }: CampaignStats) {
  const [samples, setSamples] = useState(() => readSamples(id));
  const done = sent + failed + unknown;
  useEffect(() => {
    setSamples((known) => {
      const next = withSample(known, { at: Date.parse(asOf), done });
      if (next !== known) keepSamples(id, next);
      return next;
    });
  }, [id, asOf, done]);
  return speedOf(samples);
}

export function Speed({ stats }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const points = useSpeed(stats);
  const [isTable, setTable] = useState(false);
  const hasEnough = points.length >= LEAST_POINTS;
  const shown = isTable ? byMinute(points) : points;
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("sending.live.speed")}</h2>
        <span className="end dim">{t("sending.live.speedUnit")}</span>
        {hasEnough && (
          <button
            type="button"
            className="text-button"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {t("sending.live.asTable")}
          </button>
        )}
      </div>
      {hasEnough ? (
        <Chart
          times={shown.map(({ at }) => at)}
          series={[
            {
              label: t("sending.live.perSecond"),
              colour: "--chart-1",
              look: "filled",
              values: shown.map(({ perSecond }) => Math.round(10 * perSecond) / 10),
            },
          ]}
          caption={t("sending.live.speedLabel")}
          timeHeading={t("sending.live.time")}
          height={170}
          isTable={isTable}
          formatAt={formatClock}
        />
      ) : (
        <p className="sm dim">{t("sending.live.speedSoon")}</p>
      )}
    </section>
  );
}
