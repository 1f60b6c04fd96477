/** Transactional mail: what programs sent, to whom, and what became of it. The address holds the filters and the place. */
import "../../i18n/later/emails.ts";
import "./emails.css";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { sentence } from "../../kit/sentence.ts";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { SearchBox } from "../../shell/search-box.tsx";
import { EmailTable } from "./list/email-table.tsx";
import { FilterChips } from "./list/filter-chips.tsx";
import { NoEmails } from "./list/no-emails.tsx";
import { useSteadyRows, useTotal } from "./list/use-steady-rows.ts";
import { type EmailStatus, type EmailsSearch, hasFilter, STATUSES } from "./search.ts";

const route = getRouteApi("/signed-in/emails");
const ID = /^msg_[0-9a-z]{26}$/;

export function Emails() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { rows, hasNewer, showNewer } = useSteadyRows(search);
  const total = useTotal(search, rows.isPlaceholderData ? undefined : rows.data);
  const isFiltered = hasFilter(search);
  const isFresh = !isFiltered && !search.cursor && rows.data?.data.length === 0;
  // A change of filter starts again at the first page.
  const change = (next: EmailsSearch) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }) });
  const clear = () => void navigate({ search: {} });
  const find = (words: string | undefined) => {
    if (!words) return;
    if (ID.test(words)) void navigate({ to: "/emails/$id", params: { id: words } });
    else change(words.includes("@") ? { to: words } : { subject: words });
  };
  return (
    <>
      <PageHead
        title={t("nav.emails")}
        sub={
          <>
            <span>{t("emails.lead")}</span>
            <a className="link" href="/docs/#tag/emails">
              {t("emails.reference")}
            </a>
          </>
        }
      />
      {!isFresh && (
        <div className="table-tools">
          <SearchBox
            key={JSON.stringify([search.to, search.subject])}
            value={undefined}
            label={t("emails.search")}
            placeholder={t("emails.searchHint")}
            maxLength={998}
            onSearch={find}
          />
          <StatusChoice status={search.status} onChoose={(status) => change({ status })} />
          <FilterChips search={search} onChange={change} />
          {isFiltered && (
            <Button size="sm" kind="quiet" onClick={clear}>
              {t("filter.clear")}
            </Button>
          )}
          <span className="grow" />
          {hasNewer && (
            <Button size="sm" icon={ArrowUp} onClick={showNewer}>
              {t("emails.newer")}
            </Button>
          )}
        </div>
      )}
      {!isFresh && (
        <p className="table-total sm" aria-live="polite">
          {total !== undefined && total > 0 && (
            <>
              <b className="strong num">{formatNumber(total)}</b> {t("emails.match", { count: total })}
            </>
          )}
        </p>
      )}
      {asApiError(rows.error).code === "invalid_query" && !rows.data ? (
        <NotFound text={sentence(asApiError(rows.error).message)} onClear={clear} />
      ) : (
        <Listing
          result={rows}
          unreadable={t("emails.unreadable")}
          empty={isFresh ? <NoEmails /> : <NotFound text={t("emails.noneMatchText")} onClear={clear} />}
        >
          {(found, page) => (
            <>
              <EmailTable rows={found} />
              <Pager cursor={search.cursor} nextCursor={page.next_cursor} />
            </>
          )}
        </Listing>
      )}
    </>
  );
}

function NotFound({ text, onClear }: { text: string; onClear: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty title={t("emails.noneMatch")} text={text}>
      <Button onClick={onClear}>{t("filter.clear")}</Button>
    </Empty>
  );
}

type ChoiceProps = {
  status: EmailStatus | undefined;
  onChoose: (status: EmailStatus | undefined) => void;
};

function StatusChoice({ status, onChoose }: ChoiceProps) {
  const { t } = useTranslation();
  return (
    <label className="chip emails-status">
      <span className="k">{t("emails.columns.status")}</span>
      <select
        value={status ?? ""}
        onChange={({ target }) => onChoose(STATUSES.find((one) => one === target.value))}
      >
        <option value="">{t("emails.anyStatus")}</option>
        {STATUSES.map((one) => (
          <option key={one} value={one}>
            {t(`emails.states.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
