/** Which recipients are shown: by what became of the mail and what its reader did, each with its number, and by reason and domain. */
import { useTranslation } from "react-i18next";
import type { CampaignStats } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { reasonWords } from "./meaning.ts";
import { REASONS, type RecipientEvent, type RecipientStatus, type RecipientsSearch } from "./search.ts";

type FiltersProps = {
  search: RecipientsSearch;
  stats: CampaignStats | undefined;
  onChange: (change: RecipientsSearch) => void;
};

type Group = {
  readonly key: "all" | RecipientStatus | RecipientEvent;
  readonly asks: Pick<RecipientsSearch, "status" | "event">;
  readonly count: number | null | undefined;
  /** A group that is rarely there is shown where somebody is in it. */
  readonly isRare?: true;
};

function groupsOf(stats: CampaignStats | undefined, machines: boolean): readonly Group[] {
  const seen = (what: "opens" | "clicks") =>
    stats && (machines ? stats[what].unique : stats[what].human_unique);
  const status = (key: RecipientStatus, count: number | undefined) => ({
    key,
    asks: { status: key },
    count,
  });
  const event = (key: RecipientEvent, count: number | null | undefined) => ({
    key,
    asks: { event: key },
    count,
  });
  return [
    { key: "all", asks: {}, count: stats?.recipients },
    status("sent", stats?.sent),
    { ...status("ready", stats && stats.queued - stats.deferred), isRare: true },
    { ...status("deferred", stats?.deferred), isRare: true },
    status("failed", stats?.failed),
    { ...status("unknown", stats?.unknown), isRare: true },
    status("skipped", stats?.skipped.total),
    event("opened", seen("opens")),
    event("clicked", seen("clicks")),
    { ...event("bounced", stats?.bounces.total), isRare: true },
    event("unsubscribed", stats?.unsubscribes),
    { ...event("complained", stats?.complaints), isRare: true },
  ];
}

/** Of nobody in particular it isn't known who opened, so there is nothing to list. */
const isShown = ({ count, isRare }: Group) => (isRare ? (count ?? 0) > 0 : count !== null);

export function StateFilter({ search, stats, onChange }: FiltersProps) {
  const { t } = useTranslation();
  const isChosen = ({ asks }: Group) =>
    search.email === undefined && asks.status === search.status && asks.event === search.event;
  const groups = groupsOf(stats, search.machines === true).filter((one) => isShown(one) || isChosen(one));
  return (
    <fieldset className="seg recipients-states" aria-label={t("recipients.filter")}>
      {groups.map((group) => (
        <button
          key={group.key}
          type="button"
          aria-pressed={isChosen(group)}
          onClick={() => onChange({ status: undefined, event: undefined, email: undefined, ...group.asks })}
        >
          {t(`recipients.groups.${group.key}`)}
          <span className="dim num">{group.count !== undefined && formatNumber(group.count ?? 0)}</span>
        </button>
      ))}
    </fieldset>
  );
}

/** Narrows those who failed, wait or were left out to one reason or one domain. */
export function NarrowFilter({ search, stats, onChange }: FiltersProps) {
  const { t } = useTranslation();
  const { status, event, reason, domain, machines } = search;
  if (event === "opened" || event === "clicked")
    return (
      <label className="check recipients-machines">
        <input
          type="checkbox"
          checked={machines === true}
          onChange={({ target }) => onChange({ machines: target.checked || undefined })}
        />
        <span>{t("recipients.machines")}</span>
      </label>
    );
  const reasons = status && REASONS[status];
  if (!reasons) return null;
  const counts: Readonly<Record<string, number>> = (status === "skipped" && stats?.skipped) || {};
  return (
    <>
      <label className="chip">
        <span className="k">{t("recipients.reason")}</span>
        <select
          value={reason ?? ""}
          onChange={({ target }) => onChange({ reason: reasons.find((one) => one === target.value) })}
        >
          <option value="">{t("recipients.any")}</option>
          {reasons.map((one) => (
            <option key={one} value={one}>
              {counts[one] === undefined
                ? reasonWords(t, one)
                : t("recipients.counted", { what: reasonWords(t, one), count: counts[one] })}
            </option>
          ))}
        </select>
      </label>
      <form
        key={domain}
        className="chip"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          const typed = new FormData(submitted.currentTarget).get("domain");
          onChange({ domain: String(typed ?? "").trim() || undefined });
        }}
      >
        <label className="k" htmlFor="recipients-domain">
          {t("recipients.domain")}
        </label>
        <input
          id="recipients-domain"
          name="domain"
          maxLength={253}
          autoCapitalize="off"
          spellCheck={false}
          placeholder={t("recipients.any")}
          defaultValue={domain}
          onBlur={({ target }) =>
            target.value.trim() !== (domain ?? "") && onChange({ domain: target.value.trim() || undefined })
          }
        />
      </form>
    </>
  );
}
