import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Checkbox } from "../../../kit/forms/field.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";

export type ShownLink = {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
  /** Whether a mail with another link went to them. */
  readonly isMailed: boolean;
};

/** A link that sets a password, the one time that it can be shown. */
export function LinkShown({ link, onClose }: { link: ShownLink; onClose: () => void }) {
  const { t } = useTranslation();
  const [isKept, setKept] = useState(false);
  return (
    <Dialog
      mustAnswer
      title={t("team.linkTitle", { email: link.email })}
      lead={t("team.linkLead")}
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={!isKept} onClick={onClose}>
          {t("do.done")}
        </Button>
      }
    >
      <div className="row well secret">
        <span className="mono grow break">{link.url}</span>
        <CopyButton text={link.url} size="sm" />
      </div>
      <p className="sm mid">{t("team.linkEnds", { time: formatTime(link.expiresAt) })}</p>
      {link.isMailed && <p className="sm mid break">{t("team.mailed", { email: link.email })}</p>}
      <Checkbox label={t("team.kept")} checked={isKept} onChange={() => setKept(!isKept)} />
    </Dialog>
  );
}
