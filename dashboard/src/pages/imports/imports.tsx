import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useTranslation } from "react-i18next";
import { isMoving } from "../../api/import-status.ts";
import type { Import } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { useLists } from "../subscribers/reference-data.ts";
import { ImportState } from "./import-state.tsx";
import { MovingTabs } from "./moving-tabs.tsx";
import { ImportTally } from "./tally.tsx";
import "../../styles/imports.css";

const route = getRouteApi("/signed-in/imports");
const ASK_EVERY_MS = 2_000;

/** Every import, newest first, and those that are under way with their numbers as they grow. */
export function Imports() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const imports = useQuery({
    ...pageQuery("GET /v1/imports", { query: cursor ? { cursor } : {} }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? ASK_EVERY_MS : false),
  });
  useRegisterActions([
    {
      id: "new-import",
      label: t("imports.new"),
      icon: Upload,
      keys: "n",
      run: () => void navigate({ to: "/imports/new" }),
    },
  ]);
  return (
    <>
      <PageHead
        title={t("nav.imports")}
        crumb={{ label: t("nav.subscribers"), to: "/subscribers" }}
        sub={t("imports.lead")}
        actions={<NewImport />}
      />
      <MovingTabs />
      <Listing
        result={imports}
        unreadable={t("imports.unreadable")}
        empty={
          <Empty title={t("imports.none")} text={t("imports.noneText")}>
            <NewImport />
          </Empty>
        }
      >
        {(rows, page) => (
          <>
            <div className="tw">
              <table className="table-edge stacked">
                <thead>
                  <tr>
                    <th>{t("imports.file")}</th>
                    <th>{t("imports.where")}</th>
                    <th>{t("imports.state")}</th>
                    <th>{t("imports.result")}</th>
                    <th className="num">{t("imports.begun")}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((one) => (
                    <ImportRow key={one.id} one={one} />
                  ))}
                </tbody>
              </table>
            </div>
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </>
  );
}

function NewImport() {
  const { t } = useTranslation();
  return (
    <Link className="btn btn-primary" to="/imports/new">
      <Icon of={Upload} />
      {t("imports.new")}
    </Link>
  );
}

function ImportRow({ one }: { one: Import }) {
  const { t } = useTranslation();
  const lists = useLists();
  const { created, failed } = one.counts;
  return (
    <tr>
      <td className="c-main med">
        <Link className="row" to="/imports/$id" params={{ id: one.id }}>
          <span className="cell-text">{one.file_name}</span>
          {one.dry_run && <span className="badge info">{t("imports.dryRun")}</span>}
        </Link>
      </td>
      <td className="mid" data-label={t("imports.where")}>
        <span className="cell-text">
          {one.target === "suppressions"
            ? t("nav.suppressions")
            : lists.find(({ id }) => id === one.list_id)?.name}
        </span>
      </td>
      <td data-label={t("imports.state")}>
        <ImportState of={one} />
      </td>
      <td data-label={t("imports.result")}>
        <div className="import-result">
          <ImportTally of={one} isSmall />
          <span className="xs dim num">
            {t("imports.short", {
              created: formatNumber(created),
              failed: formatNumber(failed),
              count: failed,
            })}
          </span>
        </div>
      </td>
      <td className="num dim" data-label={t("imports.begun")}>
        <Time at={one.created_at} />
      </td>
    </tr>
  );
}
