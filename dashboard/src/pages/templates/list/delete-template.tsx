import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { TemplateSummary } from "../../../api/openapi.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

type Props = { template: TemplateSummary; onClose: () => void };

/** Asks, says what goes and what stays, and what has to be done first where something still needs it. */
export function DeleteTemplate({ template, onClose }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name, used_by } = template;
  const unsent = used_by.unsent_campaigns;
  return (
    <ConfirmDialog
      title={t("templates.delete.title", { name })}
      lead={
        <>
          {t("templates.delete.lead")}
          {unsent > 0 && (
            <b className="template-needed">
              {t("templates.delete.unsent", { count: unsent, number: formatNumber(unsent) })}
            </b>
          )}
        </>
      }
      action={t("templates.delete.action")}
      onClose={onClose}
      confirm={async () => {
        try {
          await call("DELETE /v1/templates/{id}", { path: { id } });
        } catch (thrown) {
          throw await explained(asApiError(thrown));
        }
        await queries.invalidateQueries({ queryKey: ["templates"] });
        notify(t("templates.delete.done", { name }));
      }}
    />
  );

  /** The refusal names what still needs it by ids, of which people know only names. */
  async function explained(error: ApiError): Promise<ApiError> {
    const { used_by: users } = error.members;
    if (error.code !== "template_in_use" || !Array.isArray(users)) return error;
    const reasons = await Promise.all(users.map(String).map(reasonOf));
    return new ApiError({ status: error.status, detail: reasons.join(" ") });
  }

  async function reasonOf(user: string): Promise<string> {
    if (!user.startsWith("cmp_")) return t("templates.delete.usedByMail", { id: user });
    const campaign = await call("GET /v1/campaigns/{id}", { path: { id: user } });
    return t("templates.delete.usedByCampaign", { name: campaign.name });
  }
}
