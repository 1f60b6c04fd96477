import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, Clock, Download, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Export } from "../../api/openapi.ts";
import { pageQuery, query } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { Time } from "../../kit/time.tsx";
import { notify } from "../../kit/toasts.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import { MovingTabs } from "../imports/moving-tabs.tsx";
import { useLists } from "../subscribers/reference-data.ts";
import { downloadPath } from "./download.ts";
import "../../styles/imports.css";

const NewExport = lazyPart(() => import("./new-export.tsx"));

const route = getRouteApi("/signed-in/exports");

/** Every export, newest first, with its link while that is good. */
export function Exports() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [isMaking, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<Export>();
  const found = useQuery(pageQuery("GET /v1/exports", { query: cursor ? { cursor } : {} }));
  const make = () => setMaking(true);
  useRegisterActions([
    {
      id: "new-export",
      label: t("exports.new"),
      icon: Download,
      keys: "n",
      needs: "subscribers:export",
      run: make,
    },
  ]);
  const button = (
    <Button kind="primary" icon={Download} onClick={make}>
      {t("exports.new")}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t("nav.exports")}
        crumb={{ label: t("nav.subscribers"), to: "/subscribers" }}
        sub={t("exports.lead")}
        actions={button}
      />
      <MovingTabs />
      <Listing
        result={found}
        unreadable={t("exports.unreadable")}
        empty={
          <Empty title={t("exports.none")} text={t("exports.noneText")}>
            {button}
          </Empty>
        }
      >
        {(rows, page) => (
          <>
            <div className="tw">
              <table className="table-edge stacked">
                <thead>
                  <tr>
                    <th>{t("exports.what")}</th>
                    <th>{t("imports.state")}</th>
                    <th className="num">{t("lists.made")}</th>
                    <th className="num">{t("exports.expires")}</th>
                    <th>
                      <span className="sr">{t("do.more")}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((one) => (
                    <ExportRow key={one.id} one={one} onDelete={() => setDeleting(one)} />
                  ))}
                </tbody>
              </table>
            </div>
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      <Suspense>{isMaking && <NewExport onClose={() => setMaking(false)} />}</Suspense>
      {deleting && <DeleteExport one={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function ExportRow({ one, onDelete }: { one: Export; onDelete: () => void }) {
  const { t } = useTranslation();
  const name = useNameOf(one);
  const path = downloadPath(one);
  return (
    <tr>
      <td className="c-main med">
        <span className="cell-text">{name}</span>
      </td>
      <td data-label={t("imports.state")}>
        <span className={path ? "state c-accent" : "state dim"}>
          <Icon of={path ? CircleCheck : Clock} />
          <span className="state-word">{path ? t("exports.ready") : t("exports.expired")}</span>
        </span>
      </td>
      <td className="num dim" data-label={t("lists.made")}>
        <Time at={one.created_at} />
      </td>
      <td className="num dim" data-label={t("exports.expires")}>
        <Time at={one.expires_at} />
      </td>
      <td className="r">
        <span className="row export-acts">
          {path && (
            <a className="btn btn-sm" href={path} download aria-label={t("exports.downloadOf", { name })}>
              <Icon of={Download} />
              {t("exports.download")}
            </a>
          )}
          <Button
            kind="quiet"
            size="sm"
            icon={Trash2}
            aria-label={t("exports.deleteOf", { name })}
            onClick={onDelete}
          />
        </span>
      </td>
    </tr>
  );
}

/** What it is of, by the name that this has now. */
function useNameOf(one: Export): string {
  const { t } = useTranslation();
  const lists = useLists();
  const nameOf = (rows: readonly { id: string; name: string }[] | undefined, id: string) =>
    rows?.find((row) => row.id === id)?.name ?? id;
  const segments = useQuery({
    ...query("GET /v1/segments", { query: { limit: 200 } }),
    enabled: one.segment_id !== null,
  });
  const campaigns = useQuery({
    ...query("GET /v1/campaigns", { query: { limit: 200 } }),
    enabled: one.campaign_id !== null,
  });
  if (one.resource === "suppressions") return t("nav.suppressions");
  if (one.list_id) return t("exports.ofList", { name: nameOf(lists, one.list_id) });
  if (one.segment_id) return t("exports.ofSegment", { name: nameOf(segments.data?.data, one.segment_id) });
  return t("exports.ofCampaign", { name: nameOf(campaigns.data?.data, one.campaign_id ?? "") });
}

function DeleteExport({ one, onClose }: { one: Export; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("exports.deleteTitle")}
      lead={t("exports.deleteLead")}
      action={t("exports.deleteAction")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/exports/{id}", { path: { id: one.id } });
        await queries.invalidateQueries({ queryKey: ["exports"] });
        notify(t("exports.deleted"));
      }}
    />
  );
}
