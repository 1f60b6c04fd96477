/** What somebody should know of, each until it is over or was seen. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Check, CircleX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Alert } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { ALERTS_SHOWN } from "../search.ts";
import { Remedy } from "../verdict.tsx";

const route = getRouteApi("/signed-in/deliverability/alerts");

export function Alerts() {
  const { t } = useTranslation();
  const { show = "open", cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const found = useQuery(
    pageQuery("GET /v1/deliverability/alerts", { query: { status: show, ...(cursor && { cursor }) } }),
  );
  return (
    <>
      <DeliverabilityHead tab="/deliverability/alerts" />
      <div className="deliverability-body">
        <fieldset className="seg" aria-label={t("alerts.show")}>
          {ALERTS_SHOWN.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === show}
              onClick={() => void navigate({ search: { show: one, cursor: undefined } })}
            >
              {t(`alerts.shown.${one}`)}
            </button>
          ))}
        </fieldset>
        <Listing
          result={found}
          unreadable={t("alerts.unreadable")}
          empty={<Empty title={t(`alerts.none.${show}`)} text={t(`alerts.noneText.${show}`)} />}
        >
          {(rows, page) => (
            <>
              <ul className="panel">
                {rows.map((alert) => (
                  <AlertRow key={alert.id} alert={alert} />
                ))}
              </ul>
              <Pager cursor={cursor} nextCursor={page.next_cursor} />
            </>
          )}
        </Listing>
      </div>
    </>
  );
}

const LOOKS = {
  warning: { icon: TriangleAlert, className: "c-warn" },
  critical: { icon: CircleX, className: "c-danger" },
} as const;

function AlertRow({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[alert.severity];
  return (
    <li className="verdict">
      <span className={className}>
        <Icon of={icon} />
        <span className="sr">{t(`alerts.severities.${alert.severity}`)}</span>
      </span>
      <h2 className="alert-title break">{alert.title}</h2>
      <span className="verdict-aside">{alert.status === "open" && <Acknowledge alert={alert} />}</span>
      <div className="verdict-more">
        <p className="sm mid evidence">{alert.detail}</p>
        {alert.remedy && <Remedy text={alert.remedy} />}
        <p className="xs dim">
          <Times alert={alert} />
        </p>
      </div>
    </li>
  );
}

function Times({ alert: { created_at, acknowledged_at, closed_at } }: { alert: Alert }) {
  const { t } = useTranslation();
  const parts = [
    t("alerts.since", { time: formatTime(created_at) }),
    ...(acknowledged_at ? [t("alerts.acknowledgedAt", { time: formatTime(acknowledged_at) })] : []),
    ...(closed_at ? [t("alerts.closedAt", { time: formatTime(closed_at) })] : []),
  ];
  return parts.join(" · ");
}

function Acknowledge({ alert: { id, title } }: { alert: Alert }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { isBusy, run } = useAct(async () => {
    await call("POST /v1/deliverability/alerts/{id}/acknowledge", { path: { id } });
    await queries.invalidateQueries({ queryKey: ["deliverability"] });
    notify(t("alerts.acknowledged"));
  });
  return (
    <Button
      size="sm"
      icon={Check}
      busy={isBusy}
      aria-label={t("alerts.acknowledgeOf", { title })}
      onClick={run}
    >
      {t("alerts.acknowledge")}
    </Button>
  );
}
