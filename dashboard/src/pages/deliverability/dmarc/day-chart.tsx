import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pageQuery } from "../../../api/queries.ts";
import { formatDate } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Chart } from "../../../kit/charts/chart.tsx";
import { Failure } from "../../../kit/states.tsx";

const DAY_MS = 86_400_000;

type Asked = { readonly from: string; readonly to: string; readonly domain_id?: string };

/** Mails a day, those that passed and those that failed. A day without reports has none of either. */
export function DayChart({ asked }: { asked: Asked }) {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const found = useQuery(
    pageQuery("GET /v1/deliverability/dmarc", { query: { ...asked, group_by: "day", limit: 100 } }),
  );
  if (found.error && !found.data)
    return (
      <Failure title={t("dmarc.chartUnreadable")} error={found.error} retry={() => void found.refetch()} />
    );
  if (!found.data) return null;
  const byDay = new Map(found.data.data.map((group) => [group.key, group]));
  const days = daysFrom(found.data.from, found.data.to);
  const of = (count: (group: { messages: number; aligned: number }) => number) =>
    days.map((day) => {
      const group = byDay.get(day);
      return group ? count(group) : 0;
    });
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("dmarc.chart")}</h2>
        <span className="end">
          <Button size="sm" kind="quiet" onClick={() => setTable(!isTable)}>
            {t(isTable ? "dmarc.asChart" : "dmarc.asTable")}
          </Button>
        </span>
      </div>
      <Chart
        times={days.map((day) => new Date(`${day}T00:00:00`).getTime())}
        series={[
          {
            label: t("dmarc.passed"),
            colour: "--chart-1",
            look: "filled",
            values: of(({ aligned }) => aligned),
          },
          {
            label: t("dmarc.failed"),
            colour: "--chart-2",
            look: "line",
            values: of(({ messages, aligned }) => messages - aligned),
          },
        ]}
        caption={t("dmarc.chart")}
        timeHeading={t("dmarc.day")}
        height={160}
        isTable={isTable}
        formatAt={(time) => formatDate(localDay(time))}
      />
    </section>
  );
}

/** The chart counts in the browser's own time, so a day is named by its date there. */
function localDay(time: string): string {
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function daysFrom(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = Math.floor((last - first) / DAY_MS) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, at) =>
    new Date(first + at * DAY_MS).toISOString().slice(0, 10),
  );
}
