import "../../../i18n/later/settings/audit.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../api/account.ts";
import type { AuditEntry } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { followDownload } from "../../exports/download.ts";
import { nameBrowser } from "../browser-name.ts";
import { EntryDetails } from "./entry-details.tsx";
import { AuditFilters } from "./filters.tsx";
import { type AuditSearch, filterOf, hasFilter } from "./search.ts";
import { Visits } from "./visits.tsx";
import { useAuditWords } from "./words.ts";

const route = getRouteApi("/signed-in/settings/audit");

/** Who changed what in the account, newest first. */
export function AuditSettings() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<AuditEntry>();
  const { cursor } = search;
  const entries = useQuery(
    pageQuery("GET /v1/audit", { query: { ...filterOf(search), ...(cursor && { cursor }) } }),
  );
  const choose = (next: AuditSearch) => void navigate({ search: { ...search, ...next, cursor: undefined } });
  const download = () =>
    followDownload(ofAccount(`/v1/audit/export?${new URLSearchParams(filterOf(search))}`));
  useRegisterActions([{ id: "export-audit", label: t("audit.export"), icon: Download, run: download }]);
  const empty = hasFilter(search) ? (
    <Empty title={t("audit.noMatch")} text={t("audit.noMatchText")} />
  ) : (
    <Empty title={t("audit.none")} text={t("audit.noneText")} />
  );
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("settings.audit")}</h2>
          <p className="sm dim">{t("audit.lead")}</p>
        </div>
        <Button icon={Download} onClick={download}>
          {t("audit.export")}
        </Button>
      </div>
      <Visits />
      <AuditFilters search={search} onChoose={choose} />
      {search.target && (
        <div className="row wrap sm">
          <span className="break">{t("audit.onlyTarget", { id: search.target })}</span>
          <Button size="sm" icon={X} onClick={() => choose({ target: undefined })}>
            {t("audit.allTargets")}
          </Button>
        </div>
      )}
      <Listing result={entries} unreadable={t("audit.unreadable")} empty={empty}>
        {(rows, page) => (
          <>
            <EntryTable entries={rows} onShow={setShown} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {shown && (
        <EntryDetails
          entry={shown}
          onClose={() => setShown(undefined)}
          onTarget={(target) => {
            setShown(undefined);
            choose({ target });
          }}
        />
      )}
    </section>
  );
}

function EntryTable({
  entries,
  onShow,
}: {
  entries: readonly AuditEntry[];
  onShow: (entry: AuditEntry) => void;
}) {
  const { t } = useTranslation();
  const words = useAuditWords();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("audit.what")}</th>
            <th>{t("audit.who")}</th>
            <th>{t("audit.where")}</th>
            <th className="num">{t("audit.when")}</th>
            <th>
              <span className="sr">{t("audit.details")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med">{words.action(entry.action)}</span>
                  {entry.fields.length > 0 && (
                    <span className="xs dim mono break">{entry.fields.join(", ")}</span>
                  )}
                </div>
              </td>
              <td className="break" data-label={t("audit.who")} dir="auto">
                {words.actor(entry.actor)}
              </td>
              <td className="mid" data-label={t("audit.where")}>
                <From entry={entry} />
              </td>
              <td className="num dim" data-label={t("audit.when")}>
                <Time at={entry.created_at} />
              </td>
              <td className="r c-menu">
                <Button
                  size="sm"
                  aria-label={t("audit.detailsOf", { what: words.action(entry.action) })}
                  onClick={() => onShow(entry)}
                >
                  {t("audit.details")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function From({ entry: { network, user_agent: agent } }: { entry: AuditEntry }) {
  if (network === null) return <span className="dim">–</span>;
  const browser = agent === null ? undefined : nameBrowser(agent);
  return (
    <div className="stack tight audit-from">
      <span className="mono break">{network}</span>
      {browser && <span className="xs dim">{browser}</span>}
    </div>
  );
}
