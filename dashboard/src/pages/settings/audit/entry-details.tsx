import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../api/openapi.ts";
import { formatExact } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { useAuditWords } from "./words.ts";

/** All that the log holds of one change, to copy from. */
export function EntryDetails({
  entry,
  onClose,
  onTarget,
}: {
  entry: AuditEntry;
  onClose: () => void;
  onTarget: (id: string) => void;
}) {
  const { t } = useTranslation();
  const words = useAuditWords();
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    [t("audit.who"), words.actor(entry.actor)],
    [t("audit.actor"), entry.actor.id],
    [t("audit.when"), formatExact(entry.created_at)],
    [t("audit.action"), entry.action],
    [t("audit.target"), entry.target_id],
    [t("audit.fields"), entry.fields.join(", ")],
    [t("audit.network"), entry.network],
    [t("audit.agent"), entry.user_agent],
    [t("audit.request"), entry.request_id],
  ];
  return (
    <Dialog
      title={words.action(entry.action)}
      onClose={onClose}
      footer={
        <>
          <CopyButton text={JSON.stringify(entry, null, 2)} />
          <Button onClick={() => onTarget(entry.target_id)}>{t("audit.sameTarget")}</Button>
          <Button kind="primary" onClick={onClose}>
            {t("do.done")}
          </Button>
        </>
      }
    >
      <dl className="kv">
        {facts.map(([label, value]) =>
          value ? (
            <div key={label} className="kv-pair">
              <dt>{label}</dt>
              <dd className="break" dir="auto">
                {value}
              </dd>
            </div>
          ) : null,
        )}
      </dl>
    </Dialog>
  );
}
