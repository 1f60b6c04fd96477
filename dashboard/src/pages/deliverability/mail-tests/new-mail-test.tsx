import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { query } from "../../../api/queries.ts";
import { SelectField } from "../../../kit/forms/field.tsx";
import { NeededFirst } from "../../../kit/needed-first.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { UnreadableDialog } from "../../../kit/overlays/unreadable-dialog.tsx";

const MOST_CAMPAIGNS = 100;

type NewProps = { campaignId?: string; onClose: () => void };

/** Sends a campaign to an address of this instance, and goes to the page that waits for it. */
export function NewMailTest({ campaignId, onClose }: NewProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: campaigns, error } = useQuery(
    query("GET /v1/campaigns", { query: { limit: MOST_CAMPAIGNS } }),
  );
  if (error && !campaigns)
    return <UnreadableDialog title={t("mailTests.new")} error={error} onClose={onClose} />;
  if (!campaigns) return null;
  if (campaigns.data.length === 0)
    return (
      <NeededFirst
        title={t("mailTests.new")}
        lead={t("mailTests.noCampaign")}
        to="/campaigns"
        link={t("mailTests.toCampaigns")}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={t("mailTests.new")}
      lead={t("mailTests.newLead")}
      action={t("mailTests.send")}
      onClose={onClose}
      submit={async (values) => {
        const body = { campaign_id: values.text("campaign_id") };
        const { id } = await call("POST /v1/deliverability/tests", { body });
        onClose();
        await queries.invalidateQueries({ queryKey: ["deliverability"] });
        await navigate({ to: "/deliverability/tests/$id", params: { id } });
      }}
    >
      <SelectField
        name="campaign_id"
        label={t("mailTests.campaign")}
        defaultValue={campaignId ?? campaigns.data[0]?.id}
        options={campaigns.data.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </FormDialog>
  );
}
