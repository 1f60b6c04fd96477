/** Sends a campaign's mail as it is now to a few addresses. */
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { Drafting } from "../draft/use-draft.ts";
import { TestSend } from "./test-send.tsx";

type Props = {
  drafting: Drafting;
  save: () => Promise<boolean>;
  as: string | undefined;
  onClose: () => void;
};

export default function TestCampaign({ drafting, ...rest }: Props) {
  const { t } = useTranslation();
  const path = { id: drafting.campaign.id };
  return (
    <TestSend
      title={t("composer.test")}
      lead={t("composer.testSend.lead")}
      listId={drafting.draft.list_id}
      send={async (to, subscriberId) =>
        (await call("POST /v1/campaigns/{id}/test", { path, body: { to, subscriber_id: subscriberId } })).to
      }
      {...rest}
    />
  );
}
