import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog, FormDialog } from "../../../kit/dialog.tsx";
import { SelectField } from "../../../kit/forms/field.tsx";

const MOST_CAMPAIGNS = 100;

type NewProps = { campaignId?: string; onClose: () => void };

/** Sends a campaign to an address of this instance, and goes to the page that waits for it. */
export function NewMailTest({ campaignId, onClose }: NewProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: campaigns } = useQuery(query("GET /v1/campaigns", { query: { limit: MOST_CAMPAIGNS } }));
  if (!campaigns) return null;
  if (campaigns.data.length === 0) return <NoCampaign onClose={onClose} />;
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

function NoCampaign({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t("mailTests.new")}
      lead={t("mailTests.noCampaign")}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.close")}
          </Button>
          <Link to="/campaigns" className="btn btn-primary">
            {t("mailTests.toCampaigns")}
          </Link>
        </>
      }
    />
  );
}
