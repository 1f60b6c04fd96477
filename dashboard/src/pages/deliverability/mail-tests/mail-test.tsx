/** One mail test: it waits for the mail, then says what a mailbox provider would see. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleX, Clock, RefreshCw, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MailTest } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import "../../../i18n/later/deliverability.ts";
import "../deliverability.css";
import { NewMailTest } from "./new-mail-test.tsx";
import { TestFacts } from "./test-facts.tsx";
import { TestReport } from "./test-report.tsx";
import { StateBadge } from "./test-state.tsx";

const route = getRouteApi("/signed-in/deliverability/tests/$id");
const LOOK_EVERY_MS = 2_000;

export function MailTestPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const [isAgain, setAgain] = useState(false);
  const { data, error, refetch } = useQuery({
    ...query("GET /v1/deliverability/tests/{id}", { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.status === "waiting" ? LOOK_EVERY_MS : false),
  });
  const crumb = { label: t("deliverability.tabs.tests"), to: "/deliverability/tests" } as const;
  if (!data)
    return (
      <>
        <PageHead title={t("mailTests.one")} crumb={crumb} />
        {error ? (
          <Failure title={t("mailTests.unreadable")} error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </>
    );
  return (
    <>
      <PageHead
        title={data.campaign_name}
        crumb={crumb}
        sub={<StateBadge status={data.status} />}
        actions={
          data.status !== "waiting" && (
            <Button icon={RefreshCw} onClick={() => setAgain(true)}>
              {t("mailTests.again")}
            </Button>
          )
        }
      />
      <div className="deliverability-body">
        <Outcome test={data} />
        {data.report && <TestReport report={data.report} />}
        <TestFacts test={data} />
      </div>
      {isAgain && <NewMailTest campaignId={data.campaign_id} onClose={() => setAgain(false)} />}
    </>
  );
}

/** The sentence above the report, which changes by itself while somebody waits. */
function Outcome({ test: { status, failure } }: { test: MailTest }) {
  const { t } = useTranslation();
  return (
    <div aria-live="polite">
      {status === "waiting" && (
        <div className="note info">
          <Icon of={Clock} />
          <p>
            <b>{t("mailTests.waiting")}</b> {t("mailTests.waitingText")}
          </p>
        </div>
      )}
      {status === "failed" && (
        <div className="note danger">
          <Icon of={CircleX} />
          <p className="break">
            <b>{t("mailTests.failed")}</b> {failure}
          </p>
        </div>
      )}
      {status === "expired" && (
        <div className="note warn">
          <Icon of={TriangleAlert} />
          <p>
            <b>{t("mailTests.expired")}</b> {failure || t("mailTests.expiredText")}
          </p>
        </div>
      )}
      {status === "done" && <span className="sr">{t("mailTests.states.done")}</span>}
    </div>
  );
}
