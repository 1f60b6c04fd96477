/** The blocklists that are asked, and what they say of each address that mail leaves from. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
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
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { DeliverabilityHead } from "../deliverability-head.tsx";

export function BlocklistsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(query("GET /v1/deliverability/blocklists", {}));
  return (
    <>
      <DeliverabilityHead tab="/deliverability/blocklists" {...(data?.is_on && { actions: <LookUp /> })} />
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

function LookUp() {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    try {
      await call("POST /v1/deliverability/blocklists/check", {});
      notify(t("blocklists.asked"));
      await queries.invalidateQueries({ queryKey: ["deliverability"] });
    } catch (thrown) {
      notifyFailure(textOf(asApiError(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={RefreshCw} busy={isBusy} onClick={() => void look()}>
      {t("blocklists.again")}
    </Button>
  );
}

function Shown({ blocklists }: { blocklists: Blocklists }) {
  const { t } = useTranslation();
  const { is_on: isOn, why_off: whyOff, addresses, domains, lists, checked_at: at } = blocklists;
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
            <ResultsPanel key={address} name={address} results={results} nameOf={nameOf} />
          ))
        )}
      </section>
      {domains.length > 0 && (
        <section className="sect">
          <div className="sect-h">
            <h2>{t("blocklists.domains")}</h2>
          </div>
          {domains.map(({ domain, results }) => (
            <ResultsPanel key={domain} name={domain} results={results} nameOf={nameOf} />
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

type ResultsProps = { name: string; results: readonly Result[]; nameOf: (zone: string) => string };

function ResultsPanel({ name, results, nameOf }: ResultsProps) {
  const sorted = results.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  return (
    <section className="panel">
      <div className="verdicts-h">
        <h3 className="mono break">{name}</h3>
        <ResultsBadge results={results} />
      </div>
      <ul>
        {sorted.map((result) => (
          <ResultRow key={result.zone} result={result} name={nameOf(result.zone)} />
        ))}
      </ul>
    </section>
  );
}

function ResultsBadge({ results }: { results: readonly Result[] }) {
  const { t } = useTranslation();
  const count = results.filter(({ status }) => status === "listed").length;
  if (count > 0)
    return (
      <span className="badge danger">
        <Icon of={TriangleAlert} size="sm" />
        {t("blocklists.summary", { count, number: formatNumber(count) })}
      </span>
    );
  const isClear = results.some(({ status }) => status === "clear");
  return (
    <span className={isClear ? "badge accent" : "badge"}>
      {t(isClear ? "blocklists.allClear" : "blocklists.notKnown")}
    </span>
  );
}

function ResultRow({
  result: { status, detail, url, checked_at: at },
  name,
}: {
  result: Result;
  name: string;
}) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  return (
    <li className="verdict">
      <span className={className}>
        <Icon of={icon} />
      </span>
      <span className="break">{name}</span>
      <span className={`state verdict-aside ${className}`}>{t(`blocklists.statuses.${status}`)}</span>
      {(detail || url || at) && (
        <div className="verdict-more">
          {detail && <p className="sm mid evidence">{detail}</p>}
          <p className="xs dim row wrap">
            {at && <Time at={at} />}
            {url && status === "listed" && (
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
    <section className="sect">
      <div className="sect-h">
        <h2>{t("blocklists.lists")}</h2>
      </div>
      <div className="tw">
        <table className="table-edge stacked tall">
          <thead>
            <tr>
              <th>{t("blocklists.list")}</th>
              <th>{t("blocklists.state")}</th>
              <th className="num">{t("blocklists.checked")}</th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
    </section>
  );
}
