/** The plans that operators offer to accounts. */
import "../../../i18n/later/settings/billing.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Archive, Pencil, Plus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Plan } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { formatMoney } from "../../../i18n/money.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { ArchivePlan, EditPlan, NewPlan } from "./plan-forms.tsx";
import { STATES } from "./search.ts";

const route = getRouteApi("/signed-in/settings/plans");

type Open = { readonly what: "new" } | { readonly what: "edit" | "archive"; readonly plan: Plan } | null;

export function PlansSettings() {
  const { t } = useTranslation();
  const { cursor, state = "active" } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const plans = useQuery(
    pageQuery("GET /v1/instance/plans", { query: { state, ...(cursor && { cursor }) } }),
  );
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setOpen({ what: "new" })}>
      {t("plans.new")}
    </Button>
  );
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div className="grow usage-lead">
          <h2>{t("settings.plans")}</h2>
          <p className="sm dim">{t("plans.lead")}</p>
        </div>
        {create}
      </div>
      <StateChoice state={state} />
      <Listing
        result={plans}
        unreadable={t("plans.unreadable")}
        empty={
          state === "active" ? (
            <Empty title={t("plans.none")} text={t("plans.noneText")} />
          ) : (
            <Empty title={t("plans.noneArchived")} text={t("plans.noneArchivedText")} />
          )
        }
      >
        {(rows, page) => (
          <>
            <PlanTable plans={rows} onOpen={setOpen} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {open?.what === "new" && <NewPlan onClose={close} />}
      {open?.what === "edit" && <EditPlan id={open.plan.id} onClose={close} />}
      {open?.what === "archive" && <ArchivePlan plan={open.plan} onClose={close} />}
    </section>
  );
}

function StateChoice({ state }: { state: (typeof STATES)[number] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <fieldset className="seg" aria-label={t("plans.state")}>
      {STATES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={state === one}
          onClick={() =>
            void navigate({
              to: "/settings/plans",
              search: { state: one === "active" ? undefined : one },
            })
          }
        >
          {t(`plans.states.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

function PlanTable({ plans, onOpen }: { plans: readonly Plan[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("plans.plan")}</th>
            <th className="r">{t("plans.mails")}</th>
            <th>{t("plans.atLimit")}</th>
            <th className="r">{t("plans.accounts")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {plans.map((plan) => (
            <PlanRow key={plan.id} plan={plan} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Says which plan accounts get by themselves. */
function useMark() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return async ({ id, name }: Plan, value: boolean) => {
    try {
      await call("PATCH /v1/instance/plans/{id}", { path: { id }, body: { default: value } });
      notify(t(value ? "plans.marked" : "plans.unmarked", { name }));
    } catch (error) {
      notify(asApiError(error).message);
    }
    await queries.invalidateQueries({ queryKey: ["instance"] });
  };
}

function PlanRow({ plan, onOpen }: { plan: Plan; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  const { name, price, currency, interval, included_mails: included, overage_per_1000: overage } = plan;
  const mark = useMark();
  // An archived plan isn't changed any more.
  const items =
    plan.archived_at === null
      ? [
          { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", plan }) },
          {
            label: t(plan.default ? "plans.unmark" : "plans.mark"),
            icon: UserPlus,
            run: () => void mark(plan, !plan.default),
          },
          {
            label: t("plans.archive"),
            icon: Archive,
            danger: true,
            run: () => onOpen({ what: "archive", plan }),
          },
        ]
      : [];
  return (
    <tr>
      <td className="c-main">
        <div className="stack tight">
          <span className="med break" dir="auto">
            {name} {plan.default && <span className="badge accent">{t("plans.byDefault")}</span>}
          </span>
          <span className="sm dim">
            {t(`billing.every.${interval}`, { price: formatMoney(price, currency) })}
          </span>
        </div>
      </td>
      <td className="r num" data-label={t("plans.mails")}>
        {included === null ? t("plans.anyMails") : formatNumber(included)}
      </td>
      <td data-label={t("plans.atLimit")}>
        {included !== null &&
          (plan.at_limit === "overage" && overage !== null
            ? t("plans.atLimits.overage", { price: formatMoney(overage, currency) })
            : t("plans.atLimits.stop"))}
      </td>
      <td className="r num" data-label={t("plans.accounts")}>
        {formatNumber(plan.subscriptions)}
      </td>
      <td className="r c-menu">
        <RowMenu name={name} items={items} />
      </td>
    </tr>
  );
}
