import { useTranslation } from "react-i18next";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { keyCaps, useActions } from "../actions.ts";
import { usePreferences } from "../preferences.ts";

/** All keys that work on this page. */
export default function KeyList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { singleKeys } = usePreferences();
  const actions = useActions().filter(({ keys }) => keys);
  return (
    <Dialog
      title={t("keys.title")}
      lead={singleKeys ? t("keys.lead") : t("keys.off")}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t("do.close")}
        </Button>
      }
    >
      <dl className="key-list">
        {actions.map(({ id, label, keys = "" }) => (
          <div key={id} className="row between">
            <dt>{label}</dt>
            <dd className="row">
              {keyCaps(keys).map((cap) => (
                <kbd key={cap} className="kbd">
                  {cap}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
