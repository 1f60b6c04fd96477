/** The log of what came back, newest first. */
import "../../../i18n/later/inbound.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { InboundItemSummary } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { ListPage } from "../../../kit/tables/list-page.tsx";
import { Time } from "../../../kit/time.tsx";
import { InboundFilter } from "../inbound-filter.tsx";
import { InboundTabs } from "../inbound-tabs.tsx";
import { SHOWN, type Shown } from "../search.ts";
import { About, KindBadge, plainOutcome } from "./item-parts.tsx";

const route = getRouteApi("/signed-in/inbound");

export function InboundLog() {
  const { t } = useTranslation();
  const { show, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { ...filterOf(show), ...(cursor && { cursor }) };
  const found = useQuery(pageQuery("GET /v1/inbound", { query }));
  const tools = (
    <>
      <InboundTabs />
      <InboundFilter
        choices={SHOWN}
        labelOf={(one) => (one === "unmatched" ? t("inbound.unmatched") : t(`inbound.kinds.${one}`))}
        value={show}
        onChoose={(next) => void navigate({ search: { show: next, cursor: undefined } })}
      />
    </>
  );
  return (
    <ListPage
      title={t("nav.inbound")}
      lead={t("inbound.lead")}
      tools={tools}
      result={found}
      cursor={cursor}
      unreadable={t("inbound.unreadable")}
      none={t("inbound.none")}
      noneText={show ? t("inbound.noneMatch") : t("inbound.noneText")}
    >
      {(rows) => <ItemTable items={rows} />}
    </ListPage>
  );
}

function filterOf(show: Shown | undefined) {
  if (show === undefined) return {};
  return show === "unmatched" ? { matched: false } : { kind: show };
}

function ItemTable({ items }: { items: readonly InboundItemSummary[] }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked">
        <thead>
          <tr>
            <th>{t("inbound.kind")}</th>
            <th>{t("inbound.made")}</th>
            <th>{t("inbound.about")}</th>
            <th>{t("inbound.by")}</th>
            <th className="num">{t("inbound.at")}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td className="c-main">
                <Link to="/inbound/$id" params={{ id: item.id }} className="med">
                  <KindBadge item={item} />
                </Link>
              </td>
              <td className="mid" data-label={t("inbound.made")}>
                {item.outcome === null ? "" : plainOutcome(item.outcome)}
              </td>
              <td className="mid" data-label={t("inbound.about")}>
                <About item={item} />
              </td>
              <td className="dim" data-label={t("inbound.by")}>
                {t(`inbound.channels.${item.channel}`)}
              </td>
              <td className="num dim" data-label={t("inbound.at")}>
                <Time at={item.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
