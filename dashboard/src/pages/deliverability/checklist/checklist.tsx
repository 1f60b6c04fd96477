/** What the mailbox providers ask of bulk senders, each rule with how it is met and where it stands. */
import { useQuery } from "@tanstack/react-query";
import { ExternalLink, Gauge, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SenderChecklist, SenderRule } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatFullDate, formatNumber, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { Verdict } from "../verdict.tsx";
import { EnterComplaintRate } from "./enter-complaint-rate.tsx";
import { ProviderVolumes } from "./provider-volumes.tsx";

const GROUPS = ["fail", "warn", "unknown", "pass"] as const;

export function ChecklistPage() {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useQuery(query("GET /v1/deliverability/checklist", {}));
  const [isOpen, setOpen] = useState(false);
  const enter = () => setOpen(true);
  useRegisterActions([{ id: "enter-rate", label: t("checklist.rate.enter"), icon: Gauge, run: enter }]);
  const actions = (
    <>
      <Button icon={Gauge} onClick={enter}>
        {t("checklist.rate.enter")}
      </Button>
      <Button icon={RefreshCw} busy={isFetching} onClick={() => void refetch()}>
        {t("checklist.again")}
      </Button>
    </>
  );
  return (
    <>
      <DeliverabilityHead tab="/deliverability/checklist" actions={actions} />
      <div className="deliverability-body">
        {data ? (
          <Groups checklist={data} />
        ) : error ? (
          <Failure title={t("checklist.unreadable")} error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonLines lines={10} />
        )}
      </div>
      {isOpen && <EnterComplaintRate onClose={() => setOpen(false)} />}
    </>
  );
}

function Groups({ checklist }: { checklist: SenderChecklist }) {
  const { t } = useTranslation();
  const { data, as_of: asOf, rules_as_of: rulesAsOf, volumes, is_bulk: isBulk } = checklist;
  const of = (status: SenderRule["status"]) => data.filter((item) => item.status === status);
  const count = (status: SenderRule["status"]) => formatNumber(of(status).length);
  const counts = { fail: count("fail"), warn: count("warn"), unknown: count("unknown"), pass: count("pass") };
  return (
    <>
      <div className="stack tight">
        <p className="mid">{t("checklist.lead")}</p>
        <p className="sm" role="status">
          <b className="strong">{t("checklist.summary", counts)}</b>{" "}
          <span className="dim">{t("checklist.asOf", { time: formatTime(asOf) })}</span>
        </p>
      </div>
      {GROUPS.map((status) => (
        <Group key={status} status={status} items={of(status)} />
      ))}
      <ProviderVolumes volumes={volumes} isBulk={isBulk} />
      <p className="sm dim">{t("checklist.rulesAsOf", { date: formatFullDate(rulesAsOf) })}</p>
    </>
  );
}

type GroupProps = { status: SenderRule["status"]; items: readonly SenderRule[] };

function Group({ status, items }: GroupProps) {
  const { t } = useTranslation();
  if (items.length === 0) return null;
  return (
    <section className="panel">
      <div className="verdicts-h">
        <h2>{t(`checklist.groups.${status}`)}</h2>
        <span className="dim num">{formatNumber(items.length)}</span>
      </div>
      <ul>
        {items.map((item) => (
          <Rule key={item.code} item={item} />
        ))}
      </ul>
    </section>
  );
}

function Rule({ item }: { item: SenderRule }) {
  const { t } = useTranslation();
  const { status, title, evidence, remedy, providers, sources } = item;
  const labels = providers.map((provider) => (
    <span key={provider} className="badge line">
      {t(`checklist.providers.${provider}`)}
    </span>
  ));
  return (
    <Verdict status={status} title={title} evidence={evidence} remedy={remedy} aside={labels}>
      <ul className="xs dim row wrap" aria-label={t("checklist.sources")}>
        {sources.map((source) => (
          <li key={`${source.provider} ${source.url}`}>
            <SourceLink source={source} />
          </li>
        ))}
      </ul>
    </Verdict>
  );
}

function SourceLink({ source: { title, url, date } }: { source: SenderRule["sources"][number] }) {
  const { t } = useTranslation();
  return (
    <a className="link-u" href={url} target="_blank" rel="noopener noreferrer">
      {date ? t("checklist.source", { title, date: formatFullDate(date) }) : title}{" "}
      <span className="inline-icon">
        <Icon of={ExternalLink} size="sm" />
      </span>
      <span className="sr">{t("checklist.opensAnother")}</span>
    </a>
  );
}
