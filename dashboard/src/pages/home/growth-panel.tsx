import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Growth } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatDate, formatNumber } from "../../i18n/format.ts";

const DAYS = 90;

export function GrowthPanel() {
  const { t } = useTranslation();
  const { data: growth } = useQuery(query("GET /v1/stats/growth", { query: { days: DAYS } }));
  return (
    <section className="stack growth">
      <div className="sect-h">
        <h2>{t("home.subscribers")}</h2>
        <span className="end dim sm">{t("home.days", { count: DAYS, number: formatNumber(DAYS) })}</span>
      </div>
      {growth && <Curve growth={growth} />}
    </section>
  );
}

function Curve({ growth }: { growth: Growth }) {
  const { t } = useTranslation();
  const { active, gained, lost, data } = growth;
  const change = gained - lost;
  return (
    <>
      <div className="stat">
        <span className="v">{formatNumber(active)}</span>
        <span className="d row">
          <span className={change < 0 ? "c-danger med" : "c-accent med"}>
            {(change < 0 ? "−" : "+") + formatNumber(Math.abs(change))}
          </span>
          <span>{t("home.joinedLeft", { joined: formatNumber(gained), left: formatNumber(lost) })}</span>
        </span>
      </div>
      <Chart values={data.map((day) => day.active)} />
      <div className="row between xs dim" aria-hidden="true">
        <span>{formatDate(data[0]?.date ?? growth.as_of)}</span>
        <span>{formatDate(data.at(-1)?.date ?? growth.as_of)}</span>
      </div>
      <div className="sr">
        <table>
          <caption>{t("home.growthTable")}</caption>
          <thead>
            <tr>
              <th>{t("home.date")}</th>
              <th>{t("home.active")}</th>
              <th>{t("home.gained")}</th>
              <th>{t("home.lost")}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((day) => (
              <tr key={day.date}>
                <th scope="row">{formatDate(day.date)}</th>
                <td>{formatNumber(day.active)}</td>
                <td>{formatNumber(day.gained)}</td>
                <td>{formatNumber(day.lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const WIDTH = 320;
const HEIGHT = 72;

/** The line goes from the least to the most of these days. The table behind it says the same to who can't see it. */
function Chart({ values }: { values: readonly number[] }) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => (values.length < 2 ? WIDTH : (at / (values.length - 1)) * WIDTH);
  const y = (value: number) => 2 + (HEIGHT - 4) * (most === least ? 0.5 : (most - value) / (most - least));
  const points = values.map((value, at) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
  const line = `M${points.join("L")}`;
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="chart-area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path className="chart-line" d={line} />
    </svg>
  );
}
