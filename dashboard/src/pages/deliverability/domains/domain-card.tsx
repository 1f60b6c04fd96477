import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, Info, RefreshCw, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Domain } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber, formatSecond, formatTime, formatWhen } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { DomainMenu, type OpenDialog } from "./domain-menu.tsx";
import { DomainRecordRow } from "./record.tsx";
import { inOrder, isToMend, keyOf } from "./record-state.ts";
import { useAnnouncement } from "./use-announcement.ts";
import { useLookAgain } from "./use-look-again.ts";

/** Whoever reads a domain this often has it looked up as often. */
const WATCH_MS = 5_000;

type CardProps = { domain: Domain; startsOpen: boolean; onOpen: (open: OpenDialog) => void };

/** A domain with its records. While they are shown it is watched, so that a record that appears in the DNS turns good. */
export function DomainCard({ domain: listed, startsOpen, onOpen }: CardProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(startsOpen);
  const { data = listed, error } = useQuery({
    ...query("GET /v1/domains/{id}", { path: { id: listed.id } }),
    enabled: isOpen,
    refetchInterval: WATCH_MS,
  });
  const domain = isOpen ? data : listed;
  const announcement = useAnnouncement(domain);
  const records = useSteadyOrder(domain);
  const [heading, body] = [useId(), useId()];
  return (
    <section className="panel domain" aria-labelledby={heading}>
      <div className="domain-h">
        <button
          type="button"
          className="domain-toggle"
          aria-expanded={isOpen}
          aria-controls={body}
          aria-label={t(isOpen ? "domains.close" : "domains.open")}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} />
        </button>
        <h2 id={heading} className="break">
          {domain.name}
        </h2>
        <StateBadge domain={domain} />
        <MendBadge domain={domain} />
        <span className="domain-acts">
          <LookedUp domain={domain} />
          <LookAgain domain={domain} />
          <DomainMenu domain={domain} onOpen={onOpen} />
        </span>
      </div>
      <p className="sr" aria-live="polite">
        {announcement}
      </p>
      <div id={body} hidden={!isOpen} className="domain-b">
        {isOpen && error && <WatchFailed error={error} />}
        <StateNote domain={domain} />
        <p className="sm mid domain-host">
          {domain.dns_host && `${t("domains.atHost", { name: domain.dns_host.name })} `}
          {domain.dns_host?.hint} {t("domains.hostLabelHint")}
        </p>
        <ul aria-label={t("domains.recordsOf", { name: domain.name })}>
          {records.map((record) => (
            <DomainRecordRow key={keyOf(record)} record={record} />
          ))}
        </ul>
      </div>
    </section>
  );
}

/** A record that turns good stays where it is while somebody looks; the next visit has what is to be mended first. */
function useSteadyOrder({ records }: Domain) {
  const [order, setOrder] = useState<readonly string[]>(() => inOrder(records).map(keyOf));
  const unplaced = inOrder(records.filter((record) => !order.includes(keyOf(record)))).map(keyOf);
  if (unplaced.length > 0) setOrder([...order, ...unplaced]);
  const place = (key: string) => order.indexOf(key);
  return records.toSorted((one, other) => place(keyOf(one)) - place(keyOf(other)));
}

const STATE_LOOKS = {
  pending: "badge",
  verified: "badge accent",
  failing: "badge warn",
  unverified: "badge danger",
} as const;

function StateBadge({ domain: { status } }: { domain: Domain }) {
  const { t } = useTranslation();
  return <span className={STATE_LOOKS[status]}>{t(`domains.states.${status}`)}</span>;
}

function MendBadge({ domain: { records } }: { domain: Domain }) {
  const { t } = useTranslation();
  const count = records.filter(isToMend).length;
  if (count === 0) {
    if (records.some(({ status }) => status === "unknown") || records.length === 0)
      return <span className="badge line">{t("domains.nothingKnown")}</span>;
    return <span className="badge line">{t("domains.allGood")}</span>;
  }
  return (
    <span className="badge warn">
      <Icon of={TriangleAlert} size="sm" />
      {t("domains.mend", { number: formatNumber(count), all: formatNumber(records.length) })}
    </span>
  );
}

function LookedUp({ domain: { checked_at: at } }: { domain: Domain }) {
  const { t } = useTranslation();
  return (
    <span className="sm dim num">
      {at ? (
        <time dateTime={at}>
          {t("domains.lookedUp", { time: isToday(at) ? formatSecond(new Date(at)) : formatTime(at) })}
        </time>
      ) : (
        t("domains.neverLookedUp")
      )}
    </span>
  );
}

const isToday = (at: string) => new Date(at).toDateString() === new Date().toDateString();

function LookAgain({ domain }: { domain: Domain }) {
  const { t } = useTranslation();
  const { look, isBusy, waitSeconds } = useLookAgain(domain);
  const isWaiting = waitSeconds > 0;
  return (
    <Button
      icon={RefreshCw}
      busy={isBusy}
      disabled={isWaiting}
      {...(!isWaiting && { "aria-label": t("domains.againOf", { name: domain.name }) })}
      onClick={look}
    >
      {isWaiting ? t("domains.againIn", { number: formatNumber(waitSeconds) }) : t("domains.again")}
    </Button>
  );
}

/** What stands below it is as old as it says; the page goes on trying. */
function WatchFailed({ error }: { error: Error }) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  return (
    <div className="note warn" role="status">
      <Icon of={TriangleAlert} />
      <p>
        <b>{t("domains.unwatched")}</b> {textOf(asApiError(error))} {t("domains.unwatchedText")}
      </p>
    </div>
  );
}

const NOTE_LOOKS = { pending: "note", failing: "note warn", unverified: "note danger" } as const;

function StateNote({ domain: { status, failing_since: since, failing_until: until } }: { domain: Domain }) {
  const { t } = useTranslation();
  if (status === "verified") return null;
  const times = { since: since ? formatWhen(since) : "", until: until ? formatWhen(until) : "" };
  return (
    <div className={NOTE_LOOKS[status]}>
      <Icon of={status === "pending" ? Info : TriangleAlert} />
      <p>{t(`domains.stateTexts.${status}`, times)}</p>
    </div>
  );
}
