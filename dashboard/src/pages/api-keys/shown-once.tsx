import { SquareTerminal } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { NewApiKey } from "../../api/openapi.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Checkbox } from "../../kit/forms/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";

/** A new key, the one time that it can be shown. It closes only once the person says that it is kept. */
export function ShownOnce({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const [isKept, setKept] = useState(false);
  const key = made.key ?? "";
  const curl = `curl ${window.location.origin}/v1/lists \\\n  -H "Authorization: Bearer ${key}"`;
  return (
    <Dialog
      mustAnswer
      title={t("apiKeys.ready", { name: made.name })}
      lead={t("apiKeys.readyLead")}
      onClose={onClose}
      footer={
        <>
          <CopyButton icon={SquareTerminal} text={curl} label={t("apiKeys.copyCurl")} />
          <Button kind="primary" disabled={!isKept} onClick={onClose}>
            {t("do.done")}
          </Button>
        </>
      }
    >
      <div className="row well secret">
        <span className="mono grow break">{key}</span>
        <CopyButton text={key} size="sm" />
      </div>
      <div className="stack tight">
        <h3>{t("apiKeys.tryIt")}</h3>
        <pre className="well code folded">{curl}</pre>
      </div>
      <Checkbox label={t("apiKeys.kept")} checked={isKept} onChange={() => setKept(!isKept)} />
    </Dialog>
  );
}
