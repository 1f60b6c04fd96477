/** What mailbox providers report about mail in the domains' names: who sends it, and whether it passes. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { TriangleAlert, Upload } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DmarcNumbers } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { GROUPINGS, type Grouping, PERIODS } from "../search.ts";
import { DayChart } from "./day-chart.tsx";
import { GroupTable } from "./group-table.tsx";
import { LatestReports } from "./latest-reports.tsx";
import { UploadReports } from "./upload-reports.tsx";

const route = getRouteApi("/signed-in/deliverability/dmarc");
const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

export function Dmarc() {
  const { t } = useTranslation();
  const { domain, by = "source", days = USUAL_DAYS } = route.useSearch();
  const [isUploading, setUploading] = useState(false);
  const upload = () => setUploading(true);
  useRegisterActions([
    { id: "upload-dmarc", label: t("dmarc.upload"), icon: Upload, keys: "u", run: upload },
  ]);
  const asked = { from: dayBefore(days - 1), to: dayBefore(0), ...(domain && { domain_id: domain }) };
  const found = useQuery(pageQuery("GET /v1/deliverability/dmarc", { query: { ...asked, group_by: by } }));
  const button = (
    <Button icon={Upload} onClick={upload}>
      {t("dmarc.upload")}
    </Button>
  );
  return (
    <>
      <DeliverabilityHead tab="/deliverability/dmarc" actions={button} />
      <div className="deliverability-body">
        <Tools />
        {found.data ? (
          <Numbers numbers={found.data} by={by} asked={asked} upload={button} />
        ) : found.error ? (
          <Failure title={t("dmarc.unreadable")} error={found.error} retry={() => void found.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </div>
      {isUploading && <UploadReports onClose={() => setUploading(false)} />}
    </>
  );
}

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

function Tools() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: domains } = useQuery(query("GET /v1/domains", { query: { limit: 100 } }));
  return (
    <div className="deliverability-tools">
      <label className="row sm">
        <span className="dim">{t("dmarc.domain")}</span>
        <select
          className="input input-sm"
          value={search.domain ?? ""}
          onChange={({ target }) =>
            void navigate({ search: { ...search, domain: target.value || undefined } })
          }
        >
          <option value="">{t("dmarc.allDomains")}</option>
          {domains?.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="row sm">
        <span className="dim">{t("dmarc.by")}</span>
        <select
          className="input input-sm"
          value={search.by ?? "source"}
          onChange={({ target }) =>
            void navigate({ search: { ...search, by: GROUPINGS.find((one) => one === target.value) } })
          }
        >
          {GROUPINGS.map((one) => (
            <option key={one} value={one}>
              {t(`dmarc.groupings.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="seg" aria-label={t("dmarc.period")}>
        {PERIODS.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={(search.days ?? USUAL_DAYS) === days}
            onClick={() => void navigate({ search: { ...search, days } })}
          >
            {t("dmarc.days", { count: days, number: formatNumber(days) })}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

type NumbersProps = {
  numbers: DmarcNumbers;
  by: Grouping;
  asked: { readonly from: string; readonly to: string; readonly domain_id?: string };
  upload: React.ReactNode;
};

function Numbers({ numbers, by, asked, upload }: NumbersProps) {
  const { t } = useTranslation();
  const reports = useQuery(
    pageQuery("GET /v1/deliverability/reports", {
      query: { limit: 10, ...(asked.domain_id && { domain_id: asked.domain_id }) },
    }),
  );
  const { totals } = numbers;
  if (totals.messages === 0) {
    // Whether reports ever came decides what is said, so until that is known nothing else is.
    if (!reports.data)
      return reports.error ? <LatestReports result={reports} /> : <SkeletonLines lines={4} />;
    return reports.data.data.length === 0 ? (
      <Empty title={t("dmarc.none")} text={t("dmarc.noneText")}>
        {upload}
        <Link to="/deliverability" className="link">
          {t("dmarc.toDomains")}
        </Link>
      </Empty>
    ) : (
      <>
        <Empty title={t("dmarc.noneMatch")} text={t("dmarc.noneMatchText")} />
        <LatestReports result={reports} />
      </>
    );
  }
  return (
    <>
      <Totals numbers={numbers} />
      {by === "source" && <UnknownNote numbers={numbers} />}
      <GroupTable numbers={numbers} by={by} />
      <DayChart asked={asked} />
      <LatestReports result={reports} />
    </>
  );
}

function Totals({ numbers: { totals } }: { numbers: DmarcNumbers }) {
  const { t } = useTranslation();
  const share = (count: number) => formatFineShare(totals.messages === 0 ? 0 : count / totals.messages);
  return (
    <dl className="stats dmarc-totals">
      <div className="stat">
        <dt className="d">{t("dmarc.messages")}</dt>
        <dd className="v">{formatNumber(totals.messages)}</dd>
      </div>
      <div className="stat">
        <dt className="d">{t("dmarc.passed")}</dt>
        <dd className="v">{share(totals.aligned)}</dd>
      </div>
      <div className="stat">
        <dt className="d">{t("dmarc.treated")}</dt>
        <dd className="v">{formatNumber(totals.quarantined + totals.rejected)}</dd>
      </div>
      <div className="stat">
        <dt className="d">{t("dmarc.reports")}</dt>
        <dd className="v">{formatNumber(totals.reports)}</dd>
      </div>
    </dl>
  );
}

function UnknownNote({ numbers: { data } }: { numbers: DmarcNumbers }) {
  const { t } = useTranslation();
  const count = data.filter(({ kind }) => kind === "unknown").length;
  if (count === 0) return null;
  return (
    <div className="note warn">
      <Icon of={TriangleAlert} />
      <p>{t("dmarc.unknownNote", { count, number: formatNumber(count) })}</p>
    </div>
  );
}
