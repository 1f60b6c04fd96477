/** The sandbox's inbox: every mail that would have left, and one of them as its reader sees it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Send, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { SandboxMessageSummary } from "../../api/openapi.ts";
import { pageQuery, query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { Time } from "../../kit/time.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { SearchBox } from "../../shell/search-box.tsx";
import "./inbox.css";
import { Message } from "./message.tsx";

const route = getRouteApi("/signed-in/inbox");

/** Mail that is caught makes no event, so its first page is looked at now and then. */
const LOOK_EVERY_MS = 3_000;

export function Inbox() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const { to, cursor, message } = search;
  const navigate = route.useNavigate();
  const [isEmptying, setEmptying] = useState(false);
  const messages = useQuery({
    ...pageQuery("GET /v1/sandbox/messages", { query: { ...(to && { to }), ...(cursor && { cursor }) } }),
    refetchInterval: cursor ? false : LOOK_EVERY_MS,
  });
  const empty = () => setEmptying(true);
  const isFilled = (messages.data?.data.length ?? 0) > 0;
  // Somebody may empty it elsewhere; the mail that is open here is then gone too.
  const isEmptied =
    messages.isFetchedAfterMount && !messages.isPlaceholderData && !isFilled && !to && !cursor;
  useEffect(() => {
    if (isEmptied && message) void navigate({ search: {}, replace: true });
  }, [isEmptied, message, navigate]);
  useRegisterActions(
    isFilled ? [{ id: "empty-inbox", label: t("inbox.empty"), icon: Trash2, run: empty }] : [],
  );
  return (
    <div className={message ? "inbox has-message" : "inbox"}>
      <PageHead
        title={t("nav.inbox")}
        sub={<Total to={to} />}
        actions={
          <>
            <SearchBox
              key={to}
              value={to}
              label={t("inbox.search")}
              placeholder={t("inbox.searchHint")}
              maxLength={254}
              onSearch={(next) => void navigate({ search: next ? { to: next } : {} })}
            />
            {isFilled && (
              <Button icon={Trash2} onClick={empty}>
                {t("inbox.empty")}
              </Button>
            )}
          </>
        }
      />
      <div className="inbox-body">
        <div className="inbox-list">
          <Listing result={messages} unreadable={t("inbox.unreadable")} empty={<NoMessages to={to} />}>
            {(rows, page) => (
              <>
                <Rows rows={rows} />
                <Pager cursor={cursor} nextCursor={page.next_cursor} />
              </>
            )}
          </Listing>
        </div>
        {message ? <Message key={message} id={message} /> : isFilled && <Hint />}
      </div>
      {isEmptying && <EmptyInbox onClose={() => setEmptying(false)} />}
    </div>
  );
}

function Total({ to }: { to: string | undefined }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/sandbox/messages", { query: { ...(to && { to }), limit: 1, include_total: true } }),
    refetchInterval: LOOK_EVERY_MS,
  });
  const count = data?.total;
  return (
    <>{count === undefined ? t("inbox.lead") : t("inbox.total", { count, number: formatNumber(count) })}</>
  );
}

function Rows({ rows }: { rows: readonly SandboxMessageSummary[] }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const campaigns = useQuery(query("GET /v1/campaigns", { query: { limit: 100 } }));
  const names = new Map(campaigns.data?.data.map(({ id, name }) => [id, name]));
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.id}>
          <Link
            from="/inbox"
            to="/inbox"
            search={{ ...search, message: row.id }}
            aria-current={row.id === search.message ? "true" : undefined}
          >
            <span className="trunc med">{row.to}</span>
            <span className="xs dim num">
              <Time at={row.created_at} />
            </span>
            <span className="inbox-subject trunc">{row.subject || t("inbox.noSubject")}</span>
            <span className="inbox-of">
              {row.campaign_id === null ? (
                <span className="badge line">{t(row.email_id ? "nav.emails" : "inbox.test")}</span>
              ) : (
                <>
                  <Icon of={Send} size="sm" />
                  <span className="trunc">{names.get(row.campaign_id) ?? t("inbox.campaign")}</span>
                </>
              )}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Hint() {
  const { t } = useTranslation();
  return (
    <div className="inbox-message hide-s">
      <Empty title={t("inbox.choose")} text={t("inbox.chooseText")} />
    </div>
  );
}

function NoMessages({ to }: { to: string | undefined }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  if (!to) return <Empty title={t("inbox.none")} text={t("inbox.noneText")} />;
  return (
    <Empty title={t("inbox.noneTo")} text={t("inbox.noneToText", { to })}>
      <Button onClick={() => void navigate({ search: {} })}>{t("filter.clear")}</Button>
    </Empty>
  );
}

function EmptyInbox({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <ConfirmDialog
      title={t("inbox.emptyTitle")}
      lead={t("inbox.emptyLead")}
      action={t("inbox.empty")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/sandbox/messages", {});
        await navigate({ search: {} });
        await queries.invalidateQueries({ queryKey: ["sandbox"] });
        notify(t("inbox.emptied"));
      }}
    />
  );
}
