/** Campaigns that were tested: each left by the real server, and was read when it arrived here. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MailTestSummary } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { NewMailTest } from "./new-mail-test.tsx";
import { Score, StateBadge } from "./test-state.tsx";

const route = getRouteApi("/signed-in/deliverability/tests");
const LOOK_EVERY_MS = 5_000;

export function MailTests() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [isOpen, setOpen] = useState(false);
  const found = useQuery({
    ...pageQuery("GET /v1/deliverability/tests", { query: cursor ? { cursor } : {} }),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === "waiting") ? LOOK_EVERY_MS : false,
  });
  const create = {
    label: t("mailTests.new"),
    icon: FlaskConical,
    needs: "deliverability:write" as const,
    run: () => setOpen(true),
  };
  useRegisterActions([{ ...create, id: "new-mail-test", keys: "n" }]);
  const button = (
    <Button kind="primary" icon={FlaskConical} onClick={create.run}>
      {create.label}
    </Button>
  );
  return (
    <>
      <DeliverabilityHead tab="/deliverability/tests" actions={button} />
      <Listing
        result={found}
        unreadable={t("mailTests.unreadable")}
        empty={
          <Empty title={t("mailTests.none")} text={t("mailTests.noneText")}>
            {button}
          </Empty>
        }
      >
        {(rows, page) => (
          <>
            <TestTable tests={rows} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {isOpen && <NewMailTest onClose={() => setOpen(false)} />}
    </>
  );
}

function TestTable({ tests }: { tests: readonly MailTestSummary[] }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("mailTests.campaign")}</th>
            <th>{t("mailTests.state")}</th>
            <th className="num">{t("mailTests.score")}</th>
            <th>{t("mailTests.by")}</th>
            <th className="num">{t("mailTests.at")}</th>
          </tr>
        </thead>
        <tbody>
          {tests.map((test) => (
            <tr key={test.id}>
              <td className="c-main">
                <div>
                  <Link
                    to="/deliverability/tests/$id"
                    params={{ id: test.id }}
                    className="cell-text med"
                    dir="auto"
                  >
                    {test.campaign_name}
                  </Link>
                  <span className="cell-text sm dim" dir="auto">
                    {test.subject}
                  </span>
                </div>
              </td>
              <td data-label={t("mailTests.state")}>
                <StateBadge status={test.status} />
              </td>
              <td className="num" data-label={t("mailTests.score")}>
                <Score score={test.score} />
              </td>
              <td className="mid" data-label={t("mailTests.by")}>
                <span className="cell-text" dir="auto">
                  {test.transport_name}
                </span>
              </td>
              <td className="num dim" data-label={t("mailTests.at")}>
                <Time at={test.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
