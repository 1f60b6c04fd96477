/** Which campaign a rule is about, and which link in it. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";
import { CampaignChooser } from "./campaign-chooser.tsx";
import type { ValueProps } from "./value-props.ts";

export function CampaignInput({ id, names, isBad, onChange, onNamed }: ValueProps & { id: unknown }) {
  const known = typeof id === "string" ? id : undefined;
  return (
    <CampaignChooser
      id={known}
      name={known && names[known]}
      isBad={isBad}
      onChoose={(campaign) => {
        onNamed(campaign.id, campaign.name);
        onChange(campaign.id);
      }}
    />
  );
}

/** The links are those that the campaign's mail has; before it was launched, nobody knows them, and one is typed. */
export function LinkInput(props: ValueProps) {
  const { t } = useTranslation();
  const { value, isBad, onChange } = props;
  const { campaign_id: id, url } = (value ?? {}) as { campaign_id?: string; url?: string };
  const links = useQuery({
    ...query("GET /v1/campaigns/{id}/stats/links", { path: { id: id ?? "" } }),
    enabled: id !== undefined,
    retry: false,
  });
  const known = links.data?.data.map((one) => one.url) ?? [];
  const common = {
    className: "input input-sm rule-link",
    "data-control": true,
    "aria-label": t("builder.link"),
    "aria-invalid": isBad || undefined,
    "data-invalid": isBad || undefined,
    value: url ?? "",
  };
  const change = (next: string) => onChange({ campaign_id: id, url: next || undefined });
  return (
    <>
      <CampaignInput {...props} id={id} onChange={(next) => onChange({ campaign_id: next })} />
      {known.length > 0 ? (
        <select {...common} onChange={(event) => change(event.target.value)}>
          <option value="">{t("builder.chooseLink")}</option>
          {[...new Set([...(url ? [url] : []), ...known])].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          placeholder={t("builder.linkHint")}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </>
  );
}
