/** The accounts of the whole instance, for operators. */
import "../../../i18n/later/settings/billing.ts";
import "../../../i18n/later/settings/instance.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CirclePause, CirclePlay, Eye, Gauge, Plus, Receipt } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { InstanceAccount } from "../../../api/openapi.ts";
import { pageQuery, query, sessionQuery } from "../../../api/queries.ts";
import { formatDay, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { LinkShown, type ShownLink } from "../people/link-shown.tsx";
import { EditLimits, LookIn, OpenAccount, PutOff, Reinstate, Release, Suspend } from "./instance-forms.tsx";
import { Reviews } from "./reviews.tsx";
import { type InstanceSearch, STATES } from "./search.ts";

const route = getRouteApi("/signed-in/settings/instance");

type Open =
  | { readonly what: "open" }
  | { readonly what: "link"; readonly link: ShownLink }
  | {
      readonly what: "limits" | "suspend" | "reinstate" | "release" | "put-off" | "look-in";
      readonly account: InstanceAccount;
    }
  | null;

export function InstanceSettings() {
  const { t } = useTranslation();
  const { cursor, state, q } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const { data: summary } = useQuery(query("GET /v1/instance/summary", {}));
  const filters = { ...(state && { state }), ...(q && { q }) };
  const accounts = useQuery(
    pageQuery("GET /v1/instance/accounts", { query: { ...filters, ...(cursor && { cursor }) } }),
  );
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("settings.instance")}</h2>
          {summary && (
            <>
              <p className="sm dim">{t("instance.lead", { version: summary.version })}</p>
              <p className="sm dim">
                {t("instance.leadCounts", {
                  accounts: formatNumber(summary.accounts.total),
                  people: formatNumber(summary.people),
                  operators: formatNumber(summary.operators),
                })}
              </p>
            </>
          )}
        </div>
        <Button kind="primary" icon={Plus} onClick={() => setOpen({ what: "open" })}>
          {t("instance.open")}
        </Button>
      </div>
      <FactorFirst />
      <Reviews />
      <Filters state={state} q={q} />
      <Listing
        result={accounts}
        unreadable={t("instance.unreadable")}
        empty={<Empty title={t("instance.none")} text={t("instance.noneText")} />}
      >
        {(rows, page) => (
          <>
            <AccountTable accounts={rows} onOpen={setOpen} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {open?.what === "open" && (
        <OpenAccount onClose={close} onMade={(link) => setOpen({ what: "link", link })} />
      )}
      {open?.what === "link" && <LinkShown link={open.link} onClose={close} />}
      {open?.what === "limits" && <EditLimits account={open.account} onClose={close} />}
      {open?.what === "suspend" && <Suspend account={open.account} onClose={close} />}
      {open?.what === "reinstate" && <Reinstate account={open.account} onClose={close} />}
      {open?.what === "release" && <Release account={open.account} onClose={close} />}
      {open?.what === "put-off" && <PutOff account={open.account} onClose={close} />}
      {open?.what === "look-in" && <LookIn account={open.account} onClose={close} />}
    </section>
  );
}

/** Whoever has no second factor is told so before they try. */
function FactorFirst() {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  if (!session || session.factors.length > 0) return null;
  return (
    <p className="note warn">
      <span>
        {t("instance.factorFirst")} <Link to="/settings/security">{t("instance.addFactor")}</Link>
      </span>
    </p>
  );
}

function Filters({ state, q }: Pick<InstanceSearch, "state" | "q">) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const go = (search: InstanceSearch) => void navigate({ to: "/settings/instance", search });
  return (
    <search>
      <form
        className="audit-filters"
        onSubmit={(event) => {
          event.preventDefault();
          const text = String(new FormData(event.currentTarget).get("q") ?? "").trim();
          go({ state, q: text || undefined });
        }}
      >
        <input
          className="input"
          type="search"
          name="q"
          defaultValue={q ?? ""}
          maxLength={100}
          aria-label={t("instance.search")}
          placeholder={t("instance.search")}
        />
        <select
          className="input"
          aria-label={t("instance.state")}
          value={state ?? ""}
          onChange={(event) => go({ q, state: STATES.find((one) => one === event.target.value) })}
        >
          <option value="">{t("instance.everyState")}</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {t(`instance.states.${one}`)}
            </option>
          ))}
        </select>
      </form>
    </search>
  );
}

type TableProps = { accounts: readonly InstanceAccount[]; onOpen: (open: Open) => void };

function AccountTable({ accounts, onOpen }: TableProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const itemsFor = (account: InstanceAccount): readonly MenuItem[] => [
    { label: t("instance.lookIn"), icon: Eye, run: () => onOpen({ what: "look-in", account }) },
    {
      label: t("accountPlan.open"),
      icon: Receipt,
      run: () => void navigate({ to: "/settings/instance/$id", params: { id: account.id } }),
    },
    { label: t("instance.limits"), icon: Gauge, run: () => onOpen({ what: "limits", account }) },
    ...(account.holds.some(({ kind }) => kind === "standing")
      ? [
          {
            label: t("instance.release"),
            icon: CirclePlay,
            run: () => onOpen({ what: "release", account }),
          },
        ]
      : []),
    ...(account.debt || account.state === "payment_overdue"
      ? [
          {
            label: t("instance.putOff"),
            icon: CirclePlay,
            run: () => onOpen({ what: "put-off", account }),
          },
        ]
      : []),
    account.holds.some(({ kind }) => kind === "suspended")
      ? {
          label: t("instance.reinstate"),
          icon: CirclePlay,
          run: () => onOpen({ what: "reinstate", account }),
        }
      : {
          label: t("instance.suspend"),
          icon: CirclePause,
          danger: true,
          run: () => onOpen({ what: "suspend", account }),
        },
  ];
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("instance.account")}</th>
            <th>{t("instance.state")}</th>
            <th className="r">{t("instance.users")}</th>
            <th className="r">{t("instance.subscribers")}</th>
            <th className="r">{t("instance.mails")}</th>
            <th>{t("instance.made")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.id}>
              <td className="c-main">
                <div className="stack tight">
                  <Link
                    to="/settings/instance/$id"
                    params={{ id: account.id }}
                    className="med break"
                    dir="auto"
                  >
                    {account.name}
                  </Link>
                  <span className="sm dim mono break">{account.id}</span>
                </div>
              </td>
              <td data-label={t("instance.state")}>
                <StateOf account={account} />
              </td>
              <td className="r" data-label={t("instance.users")}>
                {formatNumber(account.users)}
              </td>
              <td className="r" data-label={t("instance.subscribers")}>
                <WithLimit
                  count={account.subscribers}
                  limit={account.subscriber_limit}
                  words="instance.subscribersOf"
                />
              </td>
              <td className="r" data-label={t("instance.mails")}>
                <WithLimit
                  count={account.mails_30_days}
                  limit={account.daily_mail_limit}
                  words="instance.mailsOf"
                />
              </td>
              <td className="dim" data-label={t("instance.made")}>
                <Time at={account.created_at} />
              </td>
              <td className="r c-menu">
                <RowMenu name={account.name} items={itemsFor(account)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type WithLimitProps = {
  count: number;
  limit: number | null;
  words: "instance.subscribersOf" | "instance.mailsOf";
};

/** A limit stands beneath what it limits, where there is one. */
function WithLimit({ count, limit, words }: WithLimitProps) {
  const { t } = useTranslation();
  return (
    <div className="stack tight">
      <span>{formatNumber(count)}</span>
      {limit !== null && <span className="sm dim">{t(words, { number: formatNumber(limit) })}</span>}
    </div>
  );
}

function StateOf({ account: { state, holds, debt } }: { account: InstanceAccount }) {
  const { t } = useTranslation();
  const reason = holds.find(({ kind }) => kind === state)?.reason;
  return (
    <div className="stack tight">
      <span>
        <span className={state === "active" ? "badge" : "badge danger"}>{t(`instance.states.${state}`)}</span>
      </span>
      {reason && (
        <span className="sm dim break" dir="auto">
          {reason}
        </span>
      )}
      {debt && (
        <span className="sm dim">
          {debt.grace_until
            ? t("instance.graceUntil", { day: formatDay(debt.grace_until) })
            : t("instance.owesSince", { day: formatDay(debt.past_due_since) })}
        </span>
      )}
    </div>
  );
}
