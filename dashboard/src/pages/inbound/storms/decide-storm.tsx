import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { BounceStorm } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

export type Decision = "release" | "dismiss";

/** Neither can be taken back, so both are asked about; many addresses are suppressed only by who types their number. */
export function DecideStorm({
  storm: { id, domain: name, held },
  decision,
  onClose,
}: {
  storm: BounceStorm;
  decision: Decision;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const count = { count: held, number: formatNumber(held) };
  return (
    <ConfirmDialog
      title={t(`inbound.storms.${decision}.title`, { name, ...count })}
      lead={t(`inbound.storms.${decision}.lead`)}
      action={t(`inbound.storms.${decision}.verb`)}
      {...(decision === "release" && { people: held })}
      onClose={onClose}
      confirm={async () => {
        const path = { id };
        if (decision === "release") await call("POST /v1/inbound/storms/{id}/release", { path });
        else await call("POST /v1/inbound/storms/{id}/dismiss", { path });
        notify(t(`inbound.storms.${decision}.done`, { name, ...count }));
        for (const thing of ["inbound", "suppressions", "subscribers", "campaigns"])
          await queries.invalidateQueries({ queryKey: [thing] });
      }}
    />
  );
}
