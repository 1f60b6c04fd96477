/** The blocklists that are asked, and what they say of each address that mail leaves from. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  CircleCheck,
  CircleQuestionMark,
  CircleX,
  ExternalLink,
  Info,
  type LucideIcon,
  RefreshCw,
  TriangleAlert,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Blocklists, BlocklistResult as Result } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { TableSection } from "../table-section.tsx";
import { summaryOf } from "./summary.ts";

const LOOK_EVERY_MS = 2_000;
const MINUTE_S = 60;

export function BlocklistsPage() {
  const { t } = useTranslation();
  // The lists are asked by a job: until it is done, what was known before is shown.
  const [shownBefore, setShownBefore] = useState<string | null>();
  const { data, error, refetch } = useQuery({
    ...query("GET /v1/deliverability/blocklists", {}),
    refetchInterval: ({ state }) => (state.data?.checked_at === shownBefore ? LOOK_EVERY_MS : false),
  });
  const isAwaited = data !== undefined && data.checked_at === shownBefore;
  return (
    <>
      <DeliverabilityHead
        tab="/deliverability/blocklists"
        {...(data?.is_on && {
          actions: <LookUp isAwaited={isAwaited} onAsked={() => setShownBefore(data.checked_at)} />,
        })}
      />
      <div className="deliverability-body">
        {data ? (
          <Shown blocklists={data} />
        ) : error ? (
          <Failure title={t("blocklists.unreadable")} error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </div>
    </>
  );
}

type LookUpProps = { isAwaited: boolean; onAsked: () => void };

function LookUp({ isAwaited, onAsked }: LookUpProps) {
  const { t } = useTranslation();
  const { isBusy, run } = useAct(async () => {
    try {
      await call("POST /v1/deliverability/blocklists/check", {});
    } catch (thrown) {
      const { status, retryAfter } = asApiError(thrown);
      if (status !== 429) throw thrown;
      const minutes = Math.ceil(retryAfter / MINUTE_S);
      return notify(t("blocklists.tooSoon", { count: minutes, number: formatNumber(minutes) }));
    }
    notify(t("blocklists.asked"));
    onAsked();
  });
  return (
    <Button icon={RefreshCw} busy={isBusy || isAwaited} onClick={run}>
      {t("blocklists.again")}
    </Button>
  );
}

function Shown({ blocklists }: { blocklists: Blocklists }) {
  const { t } = useTranslation();
  const { is_on: isOn, why_off: whyOff, addresses, domains, lists, checked_at: at } = blocklists;
  // Most lists are of addresses alone: of a domain that none is asked for there is nothing to say.
  const askedDomains = domains.filter(({ results }) => results.length > 0);
  const nameOf = (zone: string) => lists.find((list) => list.zone === zone)?.name ?? zone;
  return (
    <>
      <div className="stack tight">
        <p className="mid">{t("blocklists.lead")}</p>
        {at && <p className="sm dim">{t("blocklists.asOf", { time: formatTime(at) })}</p>}
      </div>
      {!isOn && (
        <div className="note">
          <Icon of={Info} />
          <p>
            <b>{t("blocklists.off")}</b> {whyOff}
          </p>
        </div>
      )}
      <section className="sect">
        <div className="sect-h">
          <h2>{t("blocklists.addresses")}</h2>
        </div>
        {addresses.length === 0 ? (
          <Empty title={t("blocklists.noAddresses")} text={t("blocklists.noAddressesText")}>
            <Link to="/deliverability/tests" className="btn">
              {t("blocklists.toTests")}
            </Link>
          </Empty>
        ) : (
          addresses.map(({ address, results }) => (
            <ResultsPanel key={address} name={address} results={results} nameOf={nameOf} asOf={at} />
          ))
        )}
      </section>
      {askedDomains.length > 0 && (
        <section className="sect">
          <div className="sect-h">
            <h2>{t("blocklists.domains")}</h2>
          </div>
          {askedDomains.map(({ domain, results }) => (
            <ResultsPanel key={domain} name={domain} results={results} nameOf={nameOf} asOf={at} />
          ))}
        </section>
      )}
      {lists.length > 0 && <Lists lists={lists} />}
    </>
  );
}

const LOOKS: Readonly<Record<Result["status"], { icon: LucideIcon; className: string }>> = {
  listed: { icon: CircleX, className: "c-danger" },
  unknown: { icon: CircleQuestionMark, className: "dim" },
  clear: { icon: CircleCheck, className: "c-accent" },
};
const ORDER: readonly Result["status"][] = ["listed", "unknown", "clear"];

type ResultsProps = {
  name: string;
  results: readonly Result[];
  nameOf: (zone: string) => string;
  /** When all of them were last asked together. */
  asOf: string | null;
};

function ResultsPanel({ name, results, nameOf, asOf }: ResultsProps) {
  const sorted = results.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  return (
    <section className="panel">
      <div className="verdicts-h">
        <h3 className="mono break">{name}</h3>
        <ResultsBadge results={results} />
      </div>
      <ul>
        {sorted.map((result) => (
          <ResultRow key={result.zone} result={result} name={nameOf(result.zone)} asOf={asOf} />
        ))}
      </ul>
    </section>
  );
}

const BADGES = { listed: "badge danger", clear: "badge accent", partly: "badge line", unknown: "badge" };

function ResultsBadge({ results }: { results: readonly Result[] }) {
  const { t } = useTranslation();
  const { state, count } = summaryOf(results);
  return (
    <span className={BADGES[state]}>
      {state === "listed" && <Icon of={TriangleAlert} size="sm" />}
      {t(`blocklists.summaries.${state}`, { number: formatNumber(count), all: formatNumber(results.length) })}
    </span>
  );
}

function ResultRow({
  result: { status, detail, url, checked_at: at },
  name,
  asOf,
}: {
  result: Result;
  name: string;
  asOf: string | null;
}) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  // The time stands above all of them, and is said again only where it is another one.
  const isOfAnotherTime = at !== null && (asOf === null || formatTime(at) !== formatTime(asOf));
  const hasWayOut = url !== null && status === "listed";
  return (
    <li className="verdict">
      <span className={className}>
        <Icon of={icon} />
      </span>
      <span className="break">{name}</span>
      <span className={`state verdict-aside ${className}`}>{t(`blocklists.statuses.${status}`)}</span>
      {(detail || hasWayOut || isOfAnotherTime) && (
        <div className="verdict-more">
          {detail && <p className="sm mid evidence">{detail}</p>}
          <p className="xs dim row wrap">
            {isOfAnotherTime && <Time at={at} />}
            {hasWayOut && (
              <a className="link-u row" href={url} target="_blank" rel="noopener noreferrer">
                {t("blocklists.removal")}
                <Icon of={ExternalLink} size="sm" />
                <span className="sr">{t("checklist.opensAnother")}</span>
              </a>
            )}
          </p>
        </div>
      )}
    </li>
  );
}

function Lists({ lists }: { lists: Blocklists["lists"] }) {
  const { t } = useTranslation();
  return (
    <TableSection
      title={t("blocklists.lists")}
      isTall
      heads={[
        { label: t("blocklists.list") },
        { label: t("blocklists.state") },
        { label: t("blocklists.checked"), isNumber: true },
      ]}
    >
      {lists.map(({ zone, name, is_proved: isProved, detail, checked_at: at }) => (
        <tr key={zone}>
          <td className="c-main">
            <div className="stack tight">
              <span className="med">{name}</span>
              <span className="sm dim mono break">{zone}</span>
            </div>
          </td>
          <td data-label={t("blocklists.state")}>
            <div className="stack tight">
              <span>
                <span className={isProved ? "badge accent" : "badge"}>
                  {t(isProved ? "blocklists.proved" : "blocklists.unproved")}
                </span>
              </span>
              {!isProved && at && (
                <span className="sm dim break">{detail ?? t("blocklists.unprovedText")}</span>
              )}
            </div>
          </td>
          <td className="num dim" data-label={t("blocklists.checked")}>
            {at ? <Time at={at} /> : t("blocklists.never")}
          </td>
        </tr>
      ))}
    </TableSection>
  );
}
