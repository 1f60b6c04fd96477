import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleX, Inbox, Pencil, Plus, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Transport } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { pageQuery, query } from "../../../api/queries.ts";
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
import { DeleteServer } from "./delete-server.tsx";

const route = getRouteApi("/signed-in/settings/transports");

/** The SMTP servers of the account, and what leaves by each. */
export function ServerSettings() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { cursor } = route.useSearch();
  const [deleted, setDeleted] = useState<Transport>();
  const servers = useQuery(pageQuery("GET /v1/transports", { query: cursor ? { cursor } : {} }));
  const add = () => void navigate({ to: "/settings/transports/new" });
  useRegisterActions([{ id: "new-server", label: t("servers.add"), icon: Plus, keys: "n", run: add }]);
  const addButton = (
    <Button kind="primary" icon={Plus} onClick={add}>
      {t("servers.add")}
    </Button>
  );
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("servers.title")}</h2>
          <p className="sm dim">{t("servers.lead")}</p>
        </div>
        {servers.data?.data.length !== 0 && addButton}
      </div>
      <LeavesBy />
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
      {deleted && <DeleteServer server={deleted} onClose={() => setDeleted(undefined)} />}
    </section>
  );
}

/** Whether anything leaves, and by what: a newcomer's first fear. */
function LeavesBy() {
  const { t } = useTranslation();
  const { data } = useQuery(query("GET /v1/sending", {}));
  if (!data) return null;
  return (
    <div className="note">
      <Icon of={data.leaves_by === "sandbox" ? Inbox : Send} />
      <span className="break">{t(`servers.${data.leaves_by}`, { host: data.host ?? "" })}</span>
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
                  <Link
                    to="/settings/transports/$id"
                    params={{ id: server.id }}
                    className="med break"
                    dir="auto"
                  >
                    {server.name}
                  </Link>
                  <span className="sm dim mono break">{t("servers.address", server)}</span>
                </div>
              </td>
              <td data-label={t("servers.leaves")}>
                <Streams streams={server.streams} />
              </td>
              <td data-label={t("servers.lastTest")}>
                <LastTest server={server} />
              </td>
              <td className="r c-menu">
                <RowMenu
                  name={server.name}
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

function useGiveCampaigns() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const textOf = useProblemText();
  return async ({ id, name, streams }: Transport) => {
    try {
      const body = { streams: [...streams, "campaign" as const] };
      await call("PATCH /v1/transports/{id}", { path: { id }, body });
      notify(t("servers.inUse", { name }));
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
    for (const thing of ["transports", "sending"]) void queries.invalidateQueries({ queryKey: [thing] });
  };
}

function Streams({ streams }: Pick<Transport, "streams">) {
  const { t } = useTranslation();
  if (streams.length === 0) return <span className="dim">{t("servers.nothing")}</span>;
  return (
    <div className="row wrap tags">
      {streams.map((stream) => (
        <span key={stream} className="badge accent">
          {t(`servers.streams.${stream}`)}
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
