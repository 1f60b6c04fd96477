import { ImageIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../api/account.ts";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { AuthorFrame } from "../../../kit/author-frame.tsx";
import { Button } from "../../../kit/button.tsx";
import { seenOf } from "./seen.ts";

/** The mail with a mark at each link. The service makes the marks, because nothing runs in the frame. */
export function ClickMap({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const [hasAllPictures, setAllPictures] = useState(false);
  const seen = seenOf(campaign, stats, "clicks");
  if (seen === "not" || campaign.started_at === null) return null;
  const pictures = hasAllPictures ? "&pictures=all" : "";
  return (
    <section className="sect click-map">
      <div className="sect-h">
        <h2>{t("report.links.heading")}</h2>
        <span className="end dim sm">
          {t(seen === "times" ? "report.links.clicks" : "report.links.people")}
        </span>
      </div>
      <AuthorFrame
        title={t("report.links.frame")}
        src={ofAccount(`/v1/campaigns/${encodeURIComponent(campaign.id)}/html?clicks=true${pictures}`)}
      />
      <p className="xs dim">{t("report.links.mapHint")}</p>
      {!hasAllPictures && (
        <div className="no-print">
          <Button size="sm" kind="quiet" icon={ImageIcon} onClick={() => setAllPictures(true)}>
            {t("inbox.pictures")}
          </Button>
        </div>
      )}
    </section>
  );
}
