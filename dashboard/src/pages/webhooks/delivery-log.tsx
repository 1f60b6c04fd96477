/** What was posted to an endpoint, newest first, with what became of it. */

import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Webhook, WebhookDelivery, WebhookDeliveryPage } from "../../api/openapi.ts";
import { formatDuration, formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { useRowKeys } from "../../shell/row-keys.ts";
import { typesWanted } from "./event-choice.ts";
import { type DeliverySearch, STATUSES } from "./search.ts";
import { DeliveryState, LogTime } from "./state.tsx";

/** Opens and clicks in batches are posted as this. */
const BATCH = "email.batch";

type LogProps = {
  webhook: Webhook;
  search: DeliverySearch;
  deliveries: UseQueryResult<WebhookDeliveryPage>;
  onSearch: (search: DeliverySearch) => void;
  /** Who may not change anything has no button for it. */
  onReplay: (() => void) | undefined;
};

export function DeliveryLog({ webhook, search, deliveries, onSearch, onReplay }: LogProps) {
  const { t } = useTranslation();
  const { status, type, cursor } = search;
  const isFiltered = status !== undefined || type !== undefined;
  return (
    <section className="delivery-log" aria-label={t("webhooks.log.title")}>
      <div className="row wrap delivery-tools">
        <Filters webhook={webhook} search={search} onSearch={onSearch} />
        <span className="grow" />
        {onReplay && (
          <Button size="sm" icon={RotateCw} onClick={onReplay}>
            {t("webhooks.replay.open")}
          </Button>
        )}
      </div>
      <Listing
        result={deliveries}
        unreadable={t("webhooks.log.unreadable")}
        empty={
          <Empty
            title={isFiltered ? t("webhooks.log.noneMatch") : t("webhooks.log.none")}
            text={isFiltered ? t("webhooks.log.noneMatchText") : t("webhooks.log.noneText")}
          />
        }
      >
        {(rows, page) => (
          <>
            <DeliveryTable rows={rows} webhookId={webhook.id} search={search} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </section>
  );
}

type FilterProps = Pick<LogProps, "webhook" | "search" | "onSearch">;

function Filters({ webhook, search: { status, type }, onSearch }: FilterProps) {
  const { t } = useTranslation();
  const wanted: readonly string[] = typesWanted(webhook.events);
  // The log may have what the endpoint wanted before it was changed.
  const types = [
    ...new Set([...wanted, ...(webhook.batch_engagement ? [BATCH] : []), ...(type ? [type] : [])]),
  ];
  return (
    <>
      <label className="chip">
        <span className="k">{t("webhooks.log.status")}</span>
        <select
          value={status ?? ""}
          onChange={({ target }) => onSearch({ type, status: STATUSES.find((one) => one === target.value) })}
        >
          <option value="">{t("webhooks.log.any")}</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {t(`webhooks.log.statuses.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <label className="chip">
        <span className="k">{t("webhooks.log.type")}</span>
        <select
          value={type ?? ""}
          onChange={({ target }) => onSearch({ status, type: target.value || undefined })}
        >
          <option value="">{t("webhooks.log.any")}</option>
          {types.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

type TableProps = { rows: readonly WebhookDelivery[]; webhookId: string; search: DeliverySearch };

function DeliveryTable({ rows, webhookId, search }: TableProps) {
  const { t } = useTranslation();
  const body = useRowKeys();
  return (
    <div className="tw">
      <table className="table-edge stacked delivery-table">
        <thead>
          <tr>
            <th>{t("webhooks.log.answer")}</th>
            <th>{t("webhooks.log.event")}</th>
            <th className="c-id">{t("webhooks.log.id")}</th>
            <th className="num">{t("webhooks.log.tries")}</th>
            <th className="num">{t("webhooks.log.took")}</th>
            <th className="num">{t("webhooks.log.when")}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr key={row.id} className={row.id === search.delivery ? "sel" : undefined}>
              <td className="c-answer">
                <DeliveryState delivery={row} />
              </td>
              <td className="c-main med">
                <Link
                  to="/webhooks/$id"
                  params={{ id: webhookId }}
                  search={{ ...search, delivery: row.id }}
                  resetScroll={false}
                  aria-current={row.id === search.delivery || undefined}
                  data-row
                >
                  {row.type}
                </Link>
                {row.origin !== "log" && <span className="badge">{t(`webhooks.log.${row.origin}`)}</span>}
              </td>
              <td className="mono dim c-id" title={row.message_id}>
                {shortId(row.message_id)}
              </td>
              <td className="num mid c-tries">{formatNumber(row.attempts.length)}</td>
              <td className="num mid c-took">{tookOf(row)}</td>
              <td className="num dim c-when">
                <LogTime at={row.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** evt_01kb2m…x4q: the beginning is the time, and the end tells two of the same time apart. */
function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 10)}…${id.slice(-3)}` : id;
}

function tookOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last ? formatDuration(last.duration_ms) : "–";
}
