/** The endpoints that hear what happens. */
import "../../i18n/later/event-types.ts";
import "../../i18n/later/webhooks.ts";
import "./webhooks.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Webhook } from "../../api/openapi.ts";
import { useHasFeature } from "../../api/plan-features.ts";
import { pageQuery, query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { NotInPlan } from "../../shell/not-in-plan.tsx";
import { useRowKeys } from "../../shell/row-keys.ts";
import { EndpointDialogs, type Open, useEndpointMenu } from "./endpoint-dialogs.tsx";
import { EVERYTHING } from "./event-choice.ts";
import { healthOf } from "./health.ts";
import { EndpointState } from "./state.tsx";
import { useMayWrite } from "./use-may-write.ts";

const route = getRouteApi("/signed-in/webhooks");

export function Webhooks() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState<Open>(null);
  const found = useQuery(pageQuery("GET /v1/webhooks", { query: cursor ? { cursor } : {} }));
  const create = { label: t("webhooks.new"), icon: Plus, run: () => setOpen({ what: "new" }) };
  const mayMake = useHasFeature("webhooks") && mayWrite;
  useRegisterActions(mayMake ? [{ ...create, id: "new-webhook", keys: "n" }] : []);
  return (
    <>
      <ListPage
        title={t("nav.webhooks")}
        lead={t("webhooks.lead")}
        {...(mayMake && { create })}
        tools={<NotInPlan feature="webhooks" />}
        result={found}
        cursor={cursor}
        unreadable={t("webhooks.unreadable")}
        none={t("webhooks.none")}
        noneText={t("webhooks.noneText")}
      >
        {(rows) => <EndpointTable webhooks={rows} {...(mayWrite && { onOpen: setOpen })} />}
      </ListPage>
      <EndpointDialogs
        open={open}
        setOpen={setOpen}
        onMade={({ id }) => void navigate({ to: "/webhooks/$id", params: { id } })}
        onOpenDelivery={({ id }, delivery) =>
          void navigate({ to: "/webhooks/$id", params: { id }, search: { delivery } })
        }
      />
    </>
  );
}

type TableProps = { webhooks: readonly Webhook[]; onOpen?: (open: Open) => void };

function EndpointTable({ webhooks, onOpen }: TableProps) {
  const { t } = useTranslation();
  const body = useRowKeys();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("webhooks.url")}</th>
            <th>{t("webhooks.state")}</th>
            <th>{t("webhooks.events")}</th>
            <th>{t("webhooks.health")}</th>
            <th>{t("webhooks.lastDelivered")}</th>
            {onOpen && (
              <th>
                <span className="sr">{t("do.more")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body}>
          {webhooks.map((webhook) => (
            <EndpointRow key={webhook.id} webhook={webhook} {...(onOpen && { onOpen })} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EndpointRow({ webhook, onOpen }: { webhook: Webhook; onOpen?: (open: Open) => void }) {
  const { t } = useTranslation();
  const { id, url, description, last_delivered_at: deliveredAt } = webhook;
  return (
    <tr>
      <td className="c-main">
        <div className="stack tight">
          <Link to="/webhooks/$id" params={{ id }} className="med mono endpoint-url" data-row>
            {url}
          </Link>
          {description !== "" && (
            <span className="sm dim break" dir="auto">
              {description}
            </span>
          )}
        </div>
      </td>
      <td data-label={t("webhooks.state")}>
        <EndpointState webhook={webhook} />
      </td>
      <td data-label={t("webhooks.events")}>
        <Patterns patterns={webhook.events} />
      </td>
      <td data-label={t("webhooks.health")}>
        <LastDeliveries id={id} />
      </td>
      <td className="dim" data-label={t("webhooks.lastDelivered")}>
        {deliveredAt ? <Time at={deliveredAt} /> : t("webhooks.never")}
      </td>
      {onOpen && (
        <td className="r c-menu">
          <EndpointMenu webhook={webhook} onOpen={onOpen} />
        </td>
      )}
    </tr>
  );
}

function EndpointMenu({ webhook, onOpen }: { webhook: Webhook; onOpen: (open: Open) => void }) {
  const menuOf = useEndpointMenu(onOpen);
  return <RowMenu name={webhook.url} items={menuOf(webhook)} />;
}

const MOST_PATTERNS = 3;

function Patterns({ patterns }: { patterns: readonly string[] }) {
  const { t } = useTranslation();
  if (patterns.includes(EVERYTHING)) return <span className="badge">{t("webhooks.everything")}</span>;
  const more = patterns.length - MOST_PATTERNS;
  return (
    <div className="row wrap tags" title={patterns.join(", ")}>
      {patterns.slice(0, MOST_PATTERNS).map((pattern) => (
        <span key={pattern} className="badge mono">
          {pattern}
        </span>
      ))}
      {more > 0 && <span className="sm dim">{t("webhooks.more", { number: formatNumber(more) })}</span>}
    </div>
  );
}

const SHOWN_DELIVERIES = 20;
const LOOK_EVERY_MS = 10_000;

/** What became of the last ones, the newest at the end, as bars and in words. */
function LastDeliveries({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/webhooks/{id}/deliveries", { path: { id }, query: { limit: SHOWN_DELIVERIES } }),
    refetchInterval: LOOK_EVERY_MS,
  });
  if (!data) return null;
  const { counted, delivered } = healthOf(data.data);
  const count = counted.length;
  if (count === 0) return <span className="dim">{t("webhooks.nothingPosted")}</span>;
  return (
    <div className="stack tight">
      <span className="delivery-bars" aria-hidden="true">
        {counted.toReversed().map(({ id: one, status }) => (
          <i key={one} className={status} />
        ))}
      </span>
      <span className="sm mid">
        {t("webhooks.delivered", {
          count,
          number: formatNumber(count),
          delivered: formatNumber(delivered),
        })}
      </span>
    </div>
  );
}
