/** Sends the mails of the draft, or that of one step, to a few addresses, as somebody of the list would get them. */
import "../../../i18n/later/writing/mail-preview.ts";
import "../../campaigns/composer/preview/preview.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { SelectField } from "../../../kit/forms/field.tsx";
import { TestSend } from "../../campaigns/composer/test-send/test-send.tsx";
import { useEditing } from "../editor/editing.ts";
import { sayStep } from "../graph/describe.ts";
import { typeOf } from "../graph/draft.ts";

type Props = {
  /** The step whose mail it is; '' for all. */
  node: string;
  save: () => Promise<boolean>;
  onClose: () => void;
};

export default function TestMails({ node, save, onClose }: Props) {
  const { t } = useTranslation();
  const { automationId, listId, graph, say } = useEditing();
  const [which, setWhich] = useState(node);
  const mails = Object.keys(graph.nodes).filter((id) => typeOf(graph.nodes[id]) === "email");
  const send = async (to: readonly string[], subscriberId: string | null) => {
    try {
      const answer = await call("POST /v1/automations/{id}/test", {
        path: { id: automationId },
        body: {
          to,
          ...(subscriberId !== null && { subscriber_id: subscriberId }),
          ...(which !== "" && { node: which }),
        },
      });
      return answer.to;
    } catch (thrown) {
      const refused = asApiError(thrown);
      if (refused.code !== "automation_not_ready") throw refused;
      throw new ApiError({ ...refused.members, errors: [], detail: t("simulate.notReady") });
    }
  };
  return (
    <TestSend
      title={t("simulate.test.title")}
      lead={t("simulate.test.lead")}
      listId={listId}
      as={undefined}
      save={save}
      send={send}
      onClose={onClose}
    >
      <SelectField
        name="test-which"
        label={t("simulate.test.which")}
        value={which}
        options={[
          {
            value: "",
            label: t("simulate.test.all", { count: mails.length, number: formatNumber(mails.length) }),
          },
          ...mails.map((id) => ({ value: id, label: sayStep(graph, id, say) })),
        ]}
        onChange={({ target }) => setWhich(target.value)}
      />
    </TestSend>
  );
}
