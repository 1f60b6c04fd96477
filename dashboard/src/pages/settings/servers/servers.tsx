import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleX, Inbox, Pencil, Plus, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { useMay } from "../../../api/may.ts";
import type { Sending, Transport } from "../../../api/openapi.ts";
import { useHasFeature } from "../../../api/plan-features.ts";
import { asApiError } from "../../../api/problem.ts";
import { pageQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { NotInPlan } from "../../../shell/not-in-plan.tsx";
import { Closings } from "./closings.tsx";
import { DeleteServer } from "./delete-server.tsx";
import { usePools, useRefreshServers, useSending, useServers } from "./known-servers.ts";
import { putFirst } from "./order-moves.ts";
import { Orders } from "./orders.tsx";
import { PutOut } from "./put-out.tsx";
import { ServerState } from "./server-state.tsx";

const route = getRouteApi("/signed-in/settings/transports");

/** The SMTP servers of the account, what leaves by each, and which follows when one is lost. */
export function ServerSettings() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const hasFeature = useHasFeature("transports");
  const mayWrite = useMay()("transports:write") && hasFeature;
  const { cursor } = route.useSearch();
  const [deleted, setDeleted] = useState<Transport>();
  const servers = useQuery(pageQuery("GET /v1/transports", { query: cursor ? { cursor } : {} }));
  const all = useServers() ?? [];
  const sending = useSending();
  const add = () => void navigate({ to: "/settings/transports/new" });
  useRegisterActions(
    mayWrite ? [{ id: "new-server", label: t("servers.add"), icon: Plus, keys: "n", run: add }] : [],
  );
  const addButton = hasFeature && (
    <Button kind="primary" icon={Plus} needs="transports:write" onClick={add}>
      {t("servers.add")}
    </Button>
  );
  const own = { id: null, name: t("closings.ownServer"), closings: sending?.closings ?? [] };
  return (
    <>
      <section className="stack-4">
        <div className="row wrap between">
          <div>
            <h2>{t("servers.title")}</h2>
            <p className="sm dim">{t("servers.lead")}</p>
          </div>
          {servers.data?.data.length !== 0 && addButton}
        </div>
        <NotInPlan feature="transports" />
        {sending && <LeavesBy sending={sending} />}
        {all.map((server) => (
          <PutOut key={server.id} server={server} />
        ))}
        <Listing
          result={servers}
          unreadable={t("servers.unreadable")}
          empty={
            <Empty title={t("servers.none")} text={t("servers.noneText")}>
              {addButton}
            </Empty>
          }
        >
          {(rows, page) => (
            <>
              <ServerTable servers={rows} onDelete={setDeleted} />
              <Pager cursor={cursor} nextCursor={page.next_cursor} />
            </>
          )}
        </Listing>
      </section>
      <Closings servers={[...all, own]} />
      {all.length > 0 && sending && <Orders servers={all} hasInstanceServer={sending.has_instance_server} />}
      {deleted && <DeleteServer server={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

/** Whether anything leaves, and by what: a newcomer's first fear. */
function LeavesBy({ sending: { leaves_by: by, host } }: { sending: Sending }) {
  const { t } = useTranslation();
  return (
    <div className="note">
      <Icon of={by === "sandbox" ? Inbox : Send} />
      <span className="break">{t(`servers.${by}`, { host: host ?? "" })}</span>
    </div>
  );
}

type TableProps = { servers: readonly Transport[]; onDelete: (server: Transport) => void };

function ServerTable({ servers, onDelete }: TableProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const giveCampaigns = useGiveCampaigns();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("servers.server")}</th>
            <th>{t("servers.leaves")}</th>
            <th>{t("servers.lastTest")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="row wrap server-line">
                    <ServerName server={server} />
                    <ServerState server={server} />
                  </span>
                  <span className="sm dim mono break">{t("servers.address", server)}</span>
                </div>
              </td>
              <td data-label={t("servers.leaves")}>
                <Streams server={server} />
              </td>
              <td data-label={t("servers.lastTest")}>
                <LastTest server={server} />
              </td>
              <td className="r c-menu">
                <RowMenu
                  name={server.name}
                  needs="transports:write"
                  items={[
                    {
                      label: t("do.edit"),
                      icon: Pencil,
                      run: () => void navigate({ to: "/settings/transports/$id", params: { id: server.id } }),
                    },
                    ...(server.streams.includes("campaign")
                      ? []
                      : [
                          {
                            label: t("servers.useForCampaigns"),
                            icon: Send,
                            run: () => void giveCampaigns(server),
                          },
                        ]),
                    { label: t("do.delete"), icon: Trash2, danger: true, run: () => onDelete(server) },
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

/** Whoever can't change a server has nothing to open. */
function ServerName({ server: { id, name } }: { server: Transport }) {
  const mayWrite = useMay()("transports:write");
  return mayWrite ? (
    <Link to="/settings/transports/$id" params={{ id }} className="med break" dir="auto">
      {name}
    </Link>
  ) : (
    <span className="med break" dir="auto">
      {name}
    </span>
  );
}

/** Puts a server first in the order of campaigns; those that were in it follow. */
function useGiveCampaigns() {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  const textOf = useProblemText();
  return async ({ id, name }: Transport) => {
    const path = { stream: "campaign" } as const;
    try {
      const { transports } = await call("GET /v1/transport_pools/{stream}", { path });
      const body = { transports: putFirst(transports, id) };
      await call("PUT /v1/transport_pools/{stream}", { path, body });
      notify(t("servers.inUse", { name }));
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
    void refresh();
  };
}

/** What leaves by a server first, and what does when those before it are put out. */
function Streams({ server: { id, streams } }: { server: Transport }) {
  const { t } = useTranslation();
  const pools = usePools().data?.data ?? [];
  const others = pools.filter((pool) => pool.transports.includes(id) && !streams.includes(pool.stream));
  if (streams.length + others.length === 0) return <span className="dim">{t("servers.nothing")}</span>;
  return (
    <div className="row wrap tags">
      {streams.map((stream) => (
        <span key={stream} className="badge accent">
          {t(`servers.streams.${stream}`)}
        </span>
      ))}
      {others.map(({ stream, leaves_by: by }) => (
        <span key={stream} className={by === id ? "badge accent" : "badge"}>
          {t("serverState.standsIn", { stream: t(`servers.streams.${stream}`) })}
        </span>
      ))}
    </div>
  );
}

function LastTest({ server: { last_test: test } }: { server: Transport }) {
  const { t } = useTranslation();
  if (!test) return <span className="dim">{t("servers.untested")}</span>;
  return (
    <span className="row wrap">
      <span className={test.ok ? "badge accent" : "badge danger"}>
        <Icon of={test.ok ? CircleCheck : CircleX} />
        {test.ok ? t("servers.passed") : t("servers.refused")}
      </span>
      <span className="xs dim">
        <Time at={test.tested_at} />
      </span>
    </span>
  );
}
