/** How mail fares at each mailbox provider: small charts side by side, and one provider closer. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { ProviderCounts } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { PROVIDER_PERIODS } from "../search.ts";
import { ProviderChart } from "./provider-chart.tsx";
import { ProviderTable } from "./provider-table.tsx";

const route = getRouteApi("/signed-in/deliverability/providers");
const USUAL_DAYS = 30;
/** More days than these are shown by the week. */
const MOST_DAYS = 90;
const DAY_MS = 86_400_000;
/** Stands for the instance's own server, which has no id. */
const INSTANCE = "trn_00000000000000000000000000";

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export function Providers() {
  const { t } = useTranslation();
  const { domain, transport, days = USUAL_DAYS } = route.useSearch();
  const asked = {
    from: dayBefore(days - 1),
    to: dayBefore(0),
    interval: days > MOST_DAYS ? ("week" as const) : ("day" as const),
    ...(domain && { domain }),
    ...(transport && { transport_id: transport }),
  };
  const found = useQuery(pageQuery("GET /v1/deliverability/providers", { query: asked }));
  return (
    <>
      <DeliverabilityHead tab="/deliverability/providers" />
      <div className="deliverability-body">
        <Tools senders={found.data?.senders ?? []} />
        {found.data ? (
          <Shown counts={found.data} />
        ) : found.error ? (
          <Failure
            title={t("byProvider.unreadable")}
            error={found.error}
            retry={() => void found.refetch()}
          />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </div>
    </>
  );
}

function Tools({ senders }: Pick<ProviderCounts, "senders">) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: transports } = useQuery(query("GET /v1/transports", { query: { limit: 100 } }));
  const names = new Map(transports?.data.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) =>
    id === INSTANCE ? t("byProvider.ownServer") : (names.get(id) ?? t("byProvider.goneTransport"));
  const ids = new Set([
    ...senders.map(({ transport_id: id }) => id ?? INSTANCE),
    ...listed(search.transport),
  ]);
  const domains = new Set([
    ...senders.flatMap(({ domain }) => (domain === "" ? [] : domain)),
    ...listed(search.domain),
  ]);
  return (
    <div className="deliverability-tools">
      <Choice
        label={t("byProvider.domain")}
        all={t("byProvider.allDomains")}
        value={search.domain}
        options={[...domains].sort().map((name) => ({ value: name, name }))}
        onChoose={(domain) => void navigate({ search: { ...search, domain } })}
      />
      <Choice
        label={t("byProvider.transport")}
        all={t("byProvider.allTransports")}
        value={search.transport}
        options={[...ids].map((id) => ({ value: id, name: nameOf(id) }))}
        onChoose={(transport) => void navigate({ search: { ...search, transport } })}
      />
      <fieldset className="seg" aria-label={t("byProvider.period")}>
        {PROVIDER_PERIODS.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={(search.days ?? USUAL_DAYS) === days}
            onClick={() => void navigate({ search: { ...search, days } })}
          >
            {days > MOST_DAYS
              ? t("byProvider.months")
              : t("byProvider.days", { count: days, number: formatNumber(days) })}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

const listed = (one: string | undefined) => (one === undefined ? [] : [one]);

type ChoiceProps = {
  label: string;
  all: string;
  value: string | undefined;
  options: readonly { readonly value: string; readonly name: string }[];
  onChoose: (value: string | undefined) => void;
};

function Choice({ label, all, value, options, onChoose }: ChoiceProps) {
  return (
    <label className="row sm">
      <span className="dim">{label}</span>
      <select
        className="input input-sm"
        value={value ?? ""}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        <option value="">{all}</option>
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Shown({ counts }: { counts: ProviderCounts }) {
  const { t } = useTranslation();
  const { provider } = route.useSearch();
  const { data, senders } = counts;
  if (data.length === 0)
    return senders.length === 0 ? (
      <Empty title={t("byProvider.none")} text={t("byProvider.noneText")}>
        <Link to="/campaigns" className="link">
          {t("byProvider.toCampaigns")}
        </Link>
      </Empty>
    ) : (
      <Empty title={t("byProvider.noneMatch")} text={t("byProvider.noneMatchText")} />
    );
  const closer = data.find((one) => one.provider === provider);
  return (
    <>
      {closer && <ProviderChart key={closer.provider} series={closer} counts={counts} />}
      <ProviderTable counts={counts} />
    </>
  );
}
