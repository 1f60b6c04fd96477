import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { DmarcReport } from "../../../api/openapi.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Failure } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { TableSection } from "../table-section.tsx";

/** The last few reports that came, so that one sees whether they do. */
export function LatestReports({
  result,
}: {
  result: UseQueryResult<{ readonly data: readonly DmarcReport[] }>;
}) {
  const { t } = useTranslation();
  const { data, error, refetch } = result;
  if (error && !data)
    return <Failure title={t("dmarc.latestUnreadable")} error={error} retry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <TableSection
      title={t("dmarc.latest")}
      heads={[
        { label: t("dmarc.reporter") },
        { label: t("dmarc.about") },
        { label: t("dmarc.messages"), isNumber: true },
        { label: t("dmarc.aligned"), isNumber: true },
        { label: t("dmarc.came") },
        { label: t("dmarc.time"), isNumber: true },
      ]}
    >
      {data.data.map((report) => (
        <tr key={report.id}>
          <td className="c-main">
            <span className="cell-text med">{report.reporter}</span>
          </td>
          <td className="mid" data-label={t("dmarc.about")}>
            <span className="cell-text">{report.policy_domain}</span>
          </td>
          <td className="num" data-label={t("dmarc.messages")}>
            {formatNumber(report.messages)}
          </td>
          <td className="num" data-label={t("dmarc.aligned")}>
            {formatFineShare(report.messages === 0 ? 0 : report.aligned / report.messages)}
          </td>
          <td className="dim" data-label={t("dmarc.came")}>
            <span>
              {t(`dmarc.channels.${report.channel}`)}
              {report.records_left_out > 0 &&
                ` · ${t("dmarc.leftOut", {
                  count: report.records_left_out,
                  number: formatNumber(report.records_left_out),
                })}`}
            </span>
          </td>
          <td className="num dim" data-label={t("dmarc.time")}>
            <Time at={report.begins_at} day />
          </td>
        </tr>
      ))}
    </TableSection>
  );
}
