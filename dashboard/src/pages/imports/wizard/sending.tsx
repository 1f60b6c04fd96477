import { useTranslation } from "react-i18next";

/** How much of the file has gone. */
export function Sending({ share }: { share: number }) {
  const { t } = useTranslation();
  const percent = Math.floor(share * 100);
  return (
    <div className="stack">
      <p className="sm mid num">{share < 1 ? t("wizard.sending", { percent }) : t("wizard.sent")}</p>
      <div
        className="meter"
        role="progressbar"
        aria-label={t("wizard.sendingLabel")}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ inlineSize: `${percent}%` }} />
      </div>
    </div>
  );
}
