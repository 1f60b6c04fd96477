import { useQuery } from "@tanstack/react-query";
import { Download, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { query, sessionQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Checkbox } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, Dialog } from "../../../kit/overlays/dialog.tsx";
import { useRefreshFactors } from "./use-refresh-factors.ts";

const FEW = 3;

/** How many codes are left, and the way to new ones. */
export function RecoveryCodesLeft({ onMade }: { onMade: (codes: readonly string[]) => void }) {
  const { t } = useTranslation();
  const refresh = useRefreshFactors();
  const [isAsking, setAsking] = useState(false);
  const codes = useQuery(query("GET /v1/recovery_codes", {}));
  if (!codes.data) return null;
  const { left } = codes.data;
  return (
    <div className="row wrap between">
      <div>
        <h3>{t("recovery.title")}</h3>
        <p className="sm dim">{t("recovery.lead")}</p>
        <p className="sm">
          {t("recovery.left", { count: left, number: String(left) })} {left <= FEW && t("recovery.few")}
        </p>
      </div>
      <Button icon={RefreshCw} onClick={() => setAsking(true)}>
        {t("recovery.make")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t("recovery.makeTitle")}
          lead={t("recovery.makeLead")}
          action={t("recovery.make")}
          onClose={() => setAsking(false)}
          confirm={async () => {
            const made = await call("POST /v1/recovery_codes", {});
            await refresh();
            onMade(made.codes ?? []);
          }}
        />
      )}
    </div>
  );
}

/** The codes, the one time that they can be shown. It closes only once the person says that they are kept. */
export function CodesShown({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const [isKept, setKept] = useState(false);
  const head = t("recovery.fileHead", { email: session?.user.email ?? "", host: window.location.host });
  return (
    <Dialog
      mustAnswer
      title={t("recovery.shownTitle")}
      lead={t("recovery.shownLead")}
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={!isKept} onClick={onClose}>
          {t("do.done")}
        </Button>
      }
    >
      <ul className="well recovery-codes mono" aria-label={t("recovery.list")}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="row wrap">
        <CopyButton text={codes.join("\n")} label={t("recovery.copy")} />
        <Button
          icon={Download}
          onClick={() => saveAs(t("recovery.file"), [head, "", ...codes, ""].join("\n"))}
        >
          {t("recovery.download")}
        </Button>
      </div>
      <Checkbox label={t("recovery.kept")} checked={isKept} onChange={() => setKept(!isKept)} />
    </Dialog>
  );
}

function saveAs(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
