import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { RadioGroup } from "../../../kit/forms/radio-group.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { contentOf, KINDS } from "./first-content.ts";

const MOST = 200;

/** Asks for what a draft can't do without, and opens it for writing. Its subject is its name until somebody writes a better one. */
export default function NewCampaign({ list, onClose }: { list: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const lists = useQuery(query("GET /v1/lists", { query: { limit: MOST } }));
  const [chosen, setChosen] = useState(list);
  if (!lists.data) return null;
  const listId = chosen ?? lists.data.data[0]?.id ?? "";
  return (
    <FormDialog
      title={t("campaigns.new")}
      lead={t("campaigns.newLead")}
      action={t("campaigns.newAction")}
      onClose={onClose}
      submit={async (values) => {
        const name = values.text("name");
        const body = {
          name,
          list_id: listId,
          segment_id: values.textOrNull("segment_id"),
          subject: name,
          ...(await contentOf(values.text("kind"))),
        };
        const { id } = await call("POST /v1/campaigns", { body });
        await navigate({ to: "/campaigns/$id/edit", params: { id } });
        await queries.invalidateQueries({ queryKey: ["campaigns"] });
      }}
    >
      <TextField
        name="name"
        label={t("campaigns.name")}
        hint={t("campaigns.nameHint")}
        maxLength={200}
        autoComplete="off"
      />
      <SelectField
        name="list_id"
        label={t("filter.list")}
        value={listId}
        onChange={(event) => setChosen(event.target.value)}
        options={lists.data.data.map(({ id, name, counts }) => ({
          value: id,
          label: t("campaigns.listOption", {
            name,
            count: counts.active,
            number: formatNumber(counts.active),
          }),
        }))}
        hint={
          lists.data.data.length === 0 && (
            <Link to="/lists" className="link">
              {t("campaigns.noList")}
            </Link>
          )
        }
      />
      <SegmentField listId={listId} />
      <RadioGroup
        name="kind"
        legend={t("campaigns.kind")}
        defaultValue="blocks"
        choices={KINDS.map((kind) => ({
          value: kind,
          label: t(`campaigns.kinds.${kind}`),
          hint: t(`campaigns.kindHints.${kind}`),
        }))}
      />
    </FormDialog>
  );
}

/** Segments of this list, and those that ask of every list. */
function SegmentField({ listId }: { listId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(query("GET /v1/segments", { query: { limit: MOST } }));
  const fitting = (data?.data ?? []).filter(({ list_id }) => list_id === null || list_id === listId);
  if (fitting.length === 0) return null;
  return (
    <SelectField
      key={listId}
      name="segment_id"
      label={t("filter.segment")}
      optional
      hint={t("campaigns.segmentHint")}
      options={[
        { value: "", label: t("campaigns.everybody") },
        ...fitting.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
