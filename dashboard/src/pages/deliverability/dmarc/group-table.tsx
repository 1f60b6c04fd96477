import { CircleCheck, CircleQuestionMark, Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { DmarcGroup, DmarcNumbers } from "../../../api/openapi.ts";
import { formatDate, formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import type { Grouping } from "../search.ts";

/** Who sent mail in the domain's name, as many rows as the answer has. */
export function GroupTable({ numbers, by }: { numbers: DmarcNumbers; by: Grouping }) {
  const { t } = useTranslation();
  const { data, groups } = numbers;
  return (
    <div className="stack">
      <div className="tw">
        <table className="table-edge stacked tall">
          <thead>
            <tr>
              <th>{t(`dmarc.groupings.${by}`)}</th>
              <th className="num">{t("dmarc.messages")}</th>
              <th className="num">{t("dmarc.aligned")}</th>
              <th className="num">{t("dmarc.dkim")}</th>
              <th className="num">{t("dmarc.spf")}</th>
              <th className="num">{t("dmarc.treated")}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((group) => (
              <GroupRow key={`${group.kind} ${group.key}`} group={group} by={by} />
            ))}
          </tbody>
        </table>
      </div>
      {groups > data.length && (
        <p className="sm dim">
          {t("dmarc.shown", { number: formatNumber(data.length), all: formatNumber(groups) })}
        </p>
      )}
    </div>
  );
}

function GroupRow({ group, by }: { group: DmarcGroup; by: Grouping }) {
  const { t } = useTranslation();
  const { messages, quarantined, rejected } = group;
  const share = (count: number) => formatFineShare(messages === 0 ? 0 : count / messages);
  const treated = [
    ...(quarantined > 0 ? [t("dmarc.quarantined", { number: formatNumber(quarantined) })] : []),
    ...(rejected > 0 ? [t("dmarc.rejected", { number: formatNumber(rejected) })] : []),
  ];
  return (
    <tr>
      <td className="c-main">
        <div className="stack tight">
          <span className="row wrap">
            <span className="med break">
              {by === "selector" && group.key === "" ? t("dmarc.noSelector") : group.name}
            </span>
            <KindBadge kind={group.kind} />
          </span>
          <Where group={group} />
        </div>
      </td>
      <td className="num" data-label={t("dmarc.messages")}>
        {formatNumber(messages)}
      </td>
      <td className="num" data-label={t("dmarc.aligned")}>
        {share(group.aligned)}
      </td>
      <td className="num dim" data-label={t("dmarc.dkim")}>
        {share(group.dkim_aligned)}
      </td>
      <td className="num dim" data-label={t("dmarc.spf")}>
        {share(group.spf_aligned)}
      </td>
      <td className="num dim" data-label={t("dmarc.treated")}>
        {treated.length === 0 ? t("dmarc.nothingDone") : treated.join(", ")}
      </td>
    </tr>
  );
}

const KINDS = {
  own_transport: { icon: Server, className: "badge accent" },
  known_service: { icon: CircleCheck, className: "badge" },
  unknown: { icon: CircleQuestionMark, className: "badge warn" },
} as const;

function KindBadge({ kind }: { kind: DmarcGroup["kind"] }) {
  const { t } = useTranslation();
  if (kind === null) return null;
  const { icon, className } = KINDS[kind];
  return (
    <span className={className}>
      <Icon of={icon} size="sm" />
      {t(`dmarc.kinds.${kind}`)}
    </span>
  );
}

/** Where it came from: the name of an unknown address, and how many addresses there are. */
function Where({
  group: { kind, key, host, addresses, source_ips: ips, last_day: day },
}: {
  group: DmarcGroup;
}) {
  const { t } = useTranslation();
  const [first] = ips;
  const parts = [
    ...(host && host !== key ? [host] : []),
    ...(kind !== null && first && first !== key && addresses === 1 ? [first] : []),
    ...(kind !== null && addresses !== null && addresses > 1
      ? [t("dmarc.addresses", { count: addresses, number: formatNumber(addresses) })]
      : []),
    t("dmarc.lastSeen", { day: formatDate(day) }),
  ];
  return <span className="sm dim break">{parts.join(" · ")}</span>;
}
