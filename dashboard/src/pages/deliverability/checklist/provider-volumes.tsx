import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ProviderVolume } from "../../../api/openapi.ts";
import { formatNumber, formatRate } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { TableSection } from "../table-section.tsx";

type VolumesProps = { volumes: readonly ProviderVolume[]; isBulk: boolean };

/** How much mail each provider took, how much of it was complained of, and whether its rules for bulk senders apply. */
export function ProviderVolumes({ volumes, isBulk }: VolumesProps) {
  const { t } = useTranslation();
  return (
    <TableSection
      title={t("checklist.volumes.title")}
      aside={<span className="dim">{t("checklist.volumes.period")}</span>}
      lead={t(isBulk ? "checklist.volumes.bulk" : "checklist.volumes.notBulk")}
      heads={[
        { label: t("checklist.rate.provider") },
        { label: t("checklist.volumes.accepted"), isNumber: true },
        { label: t("checklist.volumes.mostInADay"), isNumber: true },
        { label: t("checklist.volumes.rate"), isNumber: true },
        { label: t("checklist.volumes.source") },
        { label: t("checklist.volumes.standing") },
      ]}
    >
      {volumes.map((volume) => (
        <VolumeRow key={volume.provider} volume={volume} />
      ))}
    </TableSection>
  );
}

function VolumeRow({ volume }: { volume: ProviderVolume }) {
  const { t } = useTranslation();
  const { provider, accepted, most_in_a_day: most, complaints, is_bulk: isBulk } = volume;
  const { complaint_rate: rate, complaint_rate_source: source } = volume;
  return (
    <tr>
      <td className="c-main med">{t(`checklist.providers.${provider}`)}</td>
      <td className="num" data-label={t("checklist.volumes.accepted")}>
        {formatNumber(accepted)}
      </td>
      <td className="num" data-label={t("checklist.volumes.mostInADay")}>
        {formatNumber(most)}
      </td>
      <td className="num" data-label={t("checklist.volumes.rate")}>
        {rate === null ? <span className="dim">{t("checklist.volumes.unknown")}</span> : formatRate(rate)}
      </td>
      <td className="dim" data-label={t("checklist.volumes.source")}>
        <SourceText source={source} complaints={complaints} />
      </td>
      <td data-label={t("checklist.volumes.standing")}>
        {isBulk ? (
          <span className="badge info">
            <Icon of={CircleAlert} size="sm" />
            {t("checklist.volumes.isBulk")}
          </span>
        ) : (
          <span className="dim">{t("checklist.volumes.isNotBulk")}</span>
        )}
      </td>
    </tr>
  );
}

type SourceProps = { source: ProviderVolume["complaint_rate_source"]; complaints: number | null };

function SourceText({ source, complaints }: SourceProps) {
  const { t } = useTranslation();
  if (source === "entered") return t("checklist.volumes.sources.entered");
  if (complaints === null) return t("checklist.volumes.sources.untold");
  return t("checklist.volumes.sources.feedback", { count: complaints, number: formatNumber(complaints) });
}
