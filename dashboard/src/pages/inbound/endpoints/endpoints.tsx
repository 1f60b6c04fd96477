/** The addresses to which providers post what bounced and who complained. */
import "../../../i18n/later/inbound.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RefreshCw, Trash2, Webhook } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { InboundEndpoint, InboundEndpointWithUrl } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { ListPage } from "../../../kit/tables/list-page.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { InboundTabs } from "../inbound-tabs.tsx";
import { DeleteEndpoint, NewEndpoint, RotateEndpoint, UrlShownOnce } from "./endpoint-dialogs.tsx";

const route = getRouteApi("/signed-in/inbound/endpoints");

type Open =
  | { readonly what: "new" }
  | { readonly what: "rotate" | "delete"; readonly endpoint: InboundEndpoint }
  | { readonly what: "ready"; readonly made: InboundEndpointWithUrl }
  | null;

export function Endpoints() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const found = useQuery(pageQuery("GET /v1/inbound/endpoints", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const show = (made: InboundEndpointWithUrl) => setOpen({ what: "ready", made });
  const create = {
    label: t("inbound.endpoints.new"),
    icon: Webhook,
    needs: "inbound:write" as const,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-endpoint", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("inbound.endpoints.title")}
        lead={t("inbound.endpoints.lead")}
        create={create}
        tools={<InboundTabs />}
        result={found}
        cursor={cursor}
        unreadable={t("inbound.endpoints.unreadable")}
        none={t("inbound.endpoints.none")}
        noneText={t("inbound.endpoints.noneText")}
      >
        {(rows) => <EndpointTable endpoints={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.what === "new" && <NewEndpoint onMade={show} onClose={close} />}
      {open?.what === "rotate" && <RotateEndpoint endpoint={open.endpoint} onMade={show} onClose={close} />}
      {open?.what === "delete" && <DeleteEndpoint endpoint={open.endpoint} onClose={close} />}
      {open?.what === "ready" && <UrlShownOnce made={open.made} onClose={close} />}
    </>
  );
}

type TableProps = { endpoints: readonly InboundEndpoint[]; onOpen: (open: Open) => void };

function EndpointTable({ endpoints, onOpen }: TableProps) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("inbound.endpoints.name")}</th>
            <th>{t("inbound.endpoints.received")}</th>
            <th>{t("inbound.endpoints.refused")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med break" dir="auto">
                    {endpoint.name}
                  </span>
                  <span className="sm dim">{t(`inbound.endpoints.providers.${endpoint.provider}`)}</span>
                </div>
              </td>
              <td className="dim" data-label={t("inbound.endpoints.received")}>
                {endpoint.last_received_at ? (
                  <Time at={endpoint.last_received_at} />
                ) : (
                  t("inbound.endpoints.nothing")
                )}
              </td>
              <td data-label={t("inbound.endpoints.refused")}>
                <Refused endpoint={endpoint} />
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="inbound:write"
                  name={endpoint.name}
                  items={[
                    {
                      label: t("inbound.endpoints.rotate"),
                      icon: RefreshCw,
                      run: () => onOpen({ what: "rotate", endpoint }),
                    },
                    {
                      label: t("do.delete"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "delete", endpoint }),
                    },
                  ]}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Refused({ endpoint }: { endpoint: InboundEndpoint }) {
  const { t } = useTranslation();
  const { last_refused_at: at, last_refused_why: why } = endpoint;
  if (!at || !why) return <span className="dim">{t("inbound.endpoints.nothing")}</span>;
  return (
    <div className="stack tight">
      <Time at={at} />
      <span className="sm mid break">{t(`inbound.endpoints.whys.${why}`)}</span>
    </div>
  );
}
