/** One thing that came back: what it says, what was made of each, and why. */
import { ofAccount } from "../../../api/account.ts";
import "../../../i18n/later/inbound.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { InboundItem, InboundReport } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { followDownload } from "../../exports/download.ts";
import { About, KindBadge, plainOutcome } from "./item-parts.tsx";

const route = getRouteApi("/signed-in/inbound/$id");

export function InboundItemPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useQuery(query("GET /v1/inbound/{id}", { path: { id } }));
  if (found.data) return <Item item={found.data} />;
  return (
    <>
      <PageHead title={t("inbound.one.title")} crumb={{ label: t("nav.inbound"), to: "/inbound" }} />
      {found.error ? (
        <Failure title={t("inbound.one.unreadable")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </>
  );
}

function Item({ item }: { item: InboundItem }) {
  const { t } = useTranslation();
  const { isBusy, reread } = useReread(item.id);
  return (
    <>
      <PageHead
        title={t("inbound.one.title")}
        crumb={{ label: t("nav.inbound"), to: "/inbound" }}
        sub={
          <>
            <KindBadge item={item} />
            <Time at={item.created_at} />
          </>
        }
        actions={
          <>
            <Button icon={Download} onClick={() => followDownload(ofAccount(`/v1/inbound/${item.id}/raw`))}>
              {t("inbound.one.raw")}
            </Button>
            <Button icon={RefreshCw} busy={isBusy} onClick={() => void reread()}>
              {t("inbound.one.reread")}
            </Button>
          </>
        }
      />
      <div className="body stack-6">
        <Facts item={item} />
        <section className="stack" aria-labelledby="reports">
          <h2 id="reports">{t("inbound.one.reports")}</h2>
          {item.reports.length === 0 ? (
            <p className="mid">{item.failure ?? item.why ?? t("inbound.one.noReports")}</p>
          ) : (
            item.reports.map((report, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: reports have no name of their own, and stay in their order.
              <ReportPanel key={at} report={report} />
            ))
          )}
        </section>
      </div>
    </>
  );
}

function Facts({ item }: { item: InboundItem }) {
  const { t } = useTranslation();
  const { channel, bytes, envelope_from: from, state } = item;
  return (
    <dl className="kv">
      <dt>{t("inbound.one.state")}</dt>
      <dd>{t(`inbound.one.states.${state}`)}</dd>
      <dt>{t("inbound.by")}</dt>
      <dd>{t(`inbound.channels.${channel}`)}</dd>
      <dt>{t("inbound.about")}</dt>
      <dd>
        <About item={item} />
      </dd>
      {from !== null && (
        <>
          <dt>{t("inbound.one.from")}</dt>
          <dd className="break">{from || t("inbound.one.noSender")}</dd>
        </>
      )}
      <dt>{t("inbound.one.size")}</dt>
      <dd>{t("inbound.one.bytes", { count: bytes, number: formatNumber(bytes) })}</dd>
    </dl>
  );
}

function ReportPanel({ report }: { report: InboundReport }) {
  const { t } = useTranslation();
  const { kind, recipient, reason, status, diagnostic, outcome, why } = report;
  return (
    <article className="panel">
      <div className="panel-h">
        <KindBadge item={{ kind, state: "read" }} />
        <b className="grow">{plainOutcome(outcome)}</b>
      </div>
      <dl className="kv panel-b">
        <dt>{t("inbound.one.why")}</dt>
        <dd className="break">{why}</dd>
        {recipient !== null && (
          <>
            <dt>{t("inbound.one.recipient")}</dt>
            <dd className="break">{recipient}</dd>
          </>
        )}
        {reason !== null && (
          <>
            <dt>{t("inbound.one.reason")}</dt>
            <dd>{plainOutcome(reason)}</dd>
          </>
        )}
        {status !== null && (
          <>
            <dt>{t("inbound.one.status")}</dt>
            <dd className="mono">{status}</dd>
          </>
        )}
        {diagnostic !== "" && (
          <>
            <dt>{t("inbound.one.said")}</dt>
            <dd>
              <pre className="code folded">{diagnostic}</pre>
            </dd>
          </>
        )}
      </dl>
    </article>
  );
}

function useReread(id: string) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const reread = async () => {
    setBusy(true);
    try {
      await call("POST /v1/inbound/{id}/reread", { path: { id } });
      notify(t("inbound.one.rereading"));
      await queries.invalidateQueries({ queryKey: ["inbound"] });
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, reread };
}
