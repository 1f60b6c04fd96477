/** One line of an inbox, as most mail programs show a mail that nobody has opened yet. */
import "../../../../i18n/later/writing/mail-preview.ts";
import "./preview.css";
import { useTranslation } from "react-i18next";
import { initialsOf } from "../../../../kit/initials.ts";

type InboxRowProps = {
  fromName: string | null;
  fromEmail: string | null;
  /** Both as they are rendered for somebody. */
  subject: string;
  previewText: string | null;
};

export function InboxRow({ fromName, fromEmail, subject, previewText }: InboxRowProps) {
  const { t } = useTranslation();
  const from = fromName || fromEmail || t("mailPreview.noSender");
  return (
    <div className="well inbox-row" role="img" aria-label={t("mailPreview.inboxRow", { from, subject })}>
      <span className="inbox-row-letter" aria-hidden="true">
        {initialsOf(from).slice(0, 1)}
      </span>
      <div aria-hidden="true">
        <div className="row between">
          <b className="strong trunc">{from}</b>
          <span className="xs dim">{t("mailPreview.now")}</span>
        </div>
        <div className="trunc med">{subject.trim() || t("mailPreview.noSubject")}</div>
        <div className="trunc dim">{previewText || t("mailPreview.firstWords")}</div>
      </div>
    </div>
  );
}
