/** What is wrong with the instance, as `doctor` says it. */
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Info, type LucideIcon, RefreshCw, TriangleAlert, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { HealthCheck, InstanceHealth } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatClock, formatExact } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";

const GROUPS: readonly HealthCheck["group"][] = ["machine", "network", "database", "work"];

/** A check isn't run again by itself: each run asks other servers. */
const healthQuery = {
  ...query("GET /v1/instance/health", {}),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
};

export function HealthSettings() {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useQuery(healthQuery);
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div className="grow">
          <h2>{t("health.title")}</h2>
          <p className="sm dim">{t("health.lead")}</p>
        </div>
      </div>
      {data && (
        <div className="row wrap">
          <Button icon={RefreshCw} busy={isFetching} onClick={() => void refetch()}>
            {t("health.again")}
          </Button>
          <CopyReport health={data} />
        </div>
      )}
      <p className="sm mid" role="status">
        {isFetching ? t("health.looking") : data && <Summary health={data} />}
      </p>
      {data ? (
        GROUPS.map((group) => <Group key={group} group={group} checks={data.checks} />)
      ) : error ? (
        <Failure title={t("health.unreadable")} error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonLines lines={8} />
      )}
    </section>
  );
}

function CopyReport({ health }: { health: InstanceHealth }) {
  const { t } = useTranslation();
  const { version, checked_at: time, report } = health;
  return (
    <CopyButton text={`${t("health.copyHead", { version, time })}\n\n${report}`} label={t("health.copy")} />
  );
}

function Summary({ health }: { health: InstanceHealth }) {
  const { t } = useTranslation();
  const countOf = (status: HealthCheck["status"]) =>
    health.checks.filter((one) => one.status === status).length;
  const [wrong, look] = [countOf("fail"), countOf("warn")];
  const parts = [
    ...(wrong > 0 ? [t("health.wrong", { count: wrong })] : []),
    ...(look > 0 ? [t("health.look", { count: look })] : []),
  ];
  const at = health.checked_at;
  return (
    <>
      <b className="strong">{parts.length > 0 ? parts.join(" · ") : t("health.fine")}</b>{" "}
      <time className="dim" dateTime={at} title={formatExact(at)}>
        {t("health.checked", { time: formatClock(at) })}
      </time>
    </>
  );
}

function Group({ group, checks }: { group: HealthCheck["group"]; checks: readonly HealthCheck[] }) {
  const { t } = useTranslation();
  const own = checks.filter((one) => one.group === group);
  if (own.length === 0) return null;
  return (
    <section className="panel" aria-label={t(`health.groups.${group}`)}>
      <div className="panel-h">
        <h3>{t(`health.groups.${group}`)}</h3>
      </div>
      <ul className="findings">
        {own.map((check) => (
          <FindingLine key={check.name} check={check} />
        ))}
      </ul>
    </section>
  );
}

const LOOKS: Readonly<Record<HealthCheck["status"], { icon: LucideIcon; className: string }>> = {
  ok: { icon: CircleCheck, className: "c-accent" },
  info: { icon: Info, className: "dim" },
  warn: { icon: TriangleAlert, className: "c-warn" },
  fail: { icon: CircleX, className: "c-danger" },
};

function FindingLine({ check: { name, status, finding, remedy } }: { check: HealthCheck }) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  return (
    <li className="finding">
      <span className={className}>
        <Icon of={icon} />
        <span className="sr">{t(`health.states.${status}`)}</span>
      </span>
      <div className="stack tight">
        <span className="med capital">{name}</span>
        <span className="sm mid break">{finding}</span>
        {remedy && (
          <span className="sm row remedy">
            <Icon of={Wrench} size="sm" />
            <span className="break">{remedy}</span>
          </span>
        )}
      </div>
    </li>
  );
}
