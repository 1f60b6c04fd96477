import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Search as SearchIcon } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { Icon } from "../../../kit/icon.tsx";
import { Popup } from "../../../kit/overlays/popup.tsx";
import { Time } from "../../../kit/time.tsx";
import { useSettled } from "../../../shell/use-settled.ts";

type Props = {
  id: string | undefined;
  name: string | undefined;
  isBad: boolean;
  onChoose: (campaign: CampaignSummary) => void;
};

/** A button that says which campaign is chosen, and opens a search for another. */
export function CampaignChooser({ id, name, isBad, onChoose }: Props) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = id === undefined ? t("builder.chooseCampaign") : (name ?? t("builder.goneCampaign"));
  return (
    <>
      <button
        ref={button}
        type="button"
        data-control
        className="input input-sm rule-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-invalid={isBad || undefined}
        onClick={() => setOpen(true)}
      >
        <span className={id === undefined ? "trunc ph" : "trunc"} dir="auto">
          {label}
        </span>
        <Icon of={ChevronDown} size="sm" />
      </button>
      {isOpen && (
        <Popup
          anchor={button}
          label={t("builder.chooseCampaign")}
          className="campaign-pop"
          align="start"
          onClose={() => setOpen(false)}
        >
          <Campaigns
            onChoose={(campaign) => {
              onChoose(campaign);
              setOpen(false);
            }}
          />
        </Popup>
      )}
    </>
  );
}

const MOST = 20;

function Campaigns({ onChoose }: { onChoose: (campaign: CampaignSummary) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const q = useSettled(text.trim());
  const { data } = useQuery(pageQuery("GET /v1/campaigns", { query: { limit: MOST, ...(q && { q }) } }));
  return (
    <>
      <div className="input input-sm">
        <Icon of={SearchIcon} size="sm" />
        <input
          type="search"
          aria-label={t("builder.searchCampaigns")}
          placeholder={t("builder.searchCampaigns")}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <ul className="campaign-list">
        {data?.data.map((campaign) => (
          <li key={campaign.id}>
            <button type="button" className="opt" onClick={() => onChoose(campaign)}>
              <span className="grow trunc" dir="auto">
                {campaign.name}
              </span>
              <span className="dim xs">
                <Time at={campaign.started_at ?? campaign.created_at} day />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {data?.data.length === 0 && <p className="sm dim">{t("builder.noCampaign")}</p>}
    </>
  );
}
