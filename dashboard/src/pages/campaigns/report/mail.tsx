import { ofAccount } from "../../../api/account.ts";
import "../../../i18n/later/campaigns/report.ts";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AuthorFrame, AuthorFrameTools, type FrameLook } from "../../../kit/author-frame.tsx";
import "./report.css";

const route = getRouteApi("/signed-in/campaigns/$id");
const PARTS = ["html", "text"] as const;

/** The mail as it was frozen when it was launched, whatever the campaign says now. */
export function SentMail() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const [part, setPart] = useState<(typeof PARTS)[number]>("html");
  const [look, setLook] = useState<FrameLook>({});
  const [hasAllPictures, setAllPictures] = useState(false);
  const query = new URLSearchParams({ part, ...(hasAllPictures && { pictures: "all" }) });
  return (
    <div className="sent-mail">
      <div className="author-bar no-print">
        <fieldset className="seg" aria-label={t("report.mail.part")}>
          {PARTS.map((one) => (
            <button key={one} type="button" aria-pressed={part === one} onClick={() => setPart(one)}>
              {t(`report.mail.${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="grow sm dim">{t("report.mail.note")}</span>
        {part === "html" && (
          <AuthorFrameTools
            look={look}
            onLook={setLook}
            hasAllPictures={hasAllPictures}
            onPictures={() => setAllPictures(true)}
          />
        )}
      </div>
      <div className="author-ground">
        <AuthorFrame
          title={t("report.mail.frame")}
          src={ofAccount(`/v1/campaigns/${encodeURIComponent(id)}/html?${query}`)}
          {...(part === "html" && look)}
        />
      </div>
    </div>
  );
}
