/** Makes a draft: from one of those to begin with, or from nothing. What it needs is chosen here, or made. */
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import type { Values } from "../../../kit/forms/form.tsx";
import { Dialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { useFields, useLists } from "../../subscribers/reference-data.ts";
import { useSegments } from "../editor/use-names.ts";
import { draftOf, NEEDS, QUIET, START_KEYS, type StartKey } from "./starts.ts";

/** In place of a field or segment that is there: it is made with the draft. */
const MAKE = "new";

export function NewAutomation({ start, onClose }: { start: StartKey; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const lists = useLists();
  const fields = useFields().filter(({ type }) => type === "date");
  const segments = useSegments();
  const [key, setKey] = useState(start);
  const needs = NEEDS[key];
  if (lists.length === 0) return <NoList onClose={onClose} />;
  const named = `starts.${key}` as "starts.birthday";
  return (
    <FormDialog
      title={t("automations.make.title")}
      lead={t("automations.make.lead")}
      action={t("automations.make.action")}
      onClose={onClose}
      submit={async (values) => {
        const body = await bodyOf(key, values, t);
        const { id } = await call("POST /v1/automations", { body });
        await navigate({ to: "/automations/$id", params: { id } });
        for (const thing of ["automations", "fields", "segments"])
          void queries.invalidateQueries({ queryKey: [thing] });
      }}
    >
      <SelectField
        name="start"
        label={t("automations.make.start")}
        value={key}
        hint={t(`starts.${key}.about`)}
        options={[...START_KEYS, "blank" as const].map((one) => ({
          value: one,
          label: t(`starts.${one}.name`),
        }))}
        onChange={({ target }) => setKey(target.value as StartKey)}
      />
      <TextField
        key={key}
        name="name"
        label={t("automations.name")}
        hint={t("automations.make.nameHint")}
        defaultValue={t(`starts.${key}.name`)}
        maxLength={200}
        autoComplete="off"
      />
      <SelectField
        name="list_id"
        label={t("automations.make.list")}
        hint={t("automations.make.listHint")}
        options={lists.map((one) => ({ value: one.id, label: one.name }))}
      />
      {needs?.what === "date" && (
        <SelectField
          key={`${key}-date`}
          name="date_field"
          label={t("automations.make.dateField")}
          hint={t("automations.make.dateFieldHint")}
          options={[
            ...(fields.some((one) => one.key === needs.fieldKey)
              ? []
              : [{ value: MAKE, label: t("automations.make.newField", { name: t(`${named}.field`) }) }]),
            // The one that is named as it should be comes first, so that it is chosen.
            ...fields
              .toSorted(
                (one, other) => Number(other.key === needs.fieldKey) - Number(one.key === needs.fieldKey),
              )
              .map((one) => ({ value: `fields.${one.key}`, label: one.name })),
          ]}
        />
      )}
      {needs?.what === "segment" && (
        <SelectField
          key={`${key}-segment`}
          name="segment_id"
          label={t("automations.make.segment")}
          hint={t("automations.make.segmentHint")}
          options={[
            {
              value: MAKE,
              label: t("automations.make.newSegment", { name: t(`${named as "starts.win_back"}.segment`) }),
            },
            ...segments.map((one) => ({ value: one.id, label: one.name })),
          ]}
        />
      )}
    </FormDialog>
  );
}

async function bodyOf(key: StartKey, values: Values, t: TFunction) {
  const list_id = values.text("list_id");
  const needs = NEEDS[key];
  const named = `starts.${key}` as "starts.birthday";
  let dateField = values.text("date_field");
  if (needs?.what === "date" && dateField === MAKE) {
    const body = { key: needs.fieldKey, name: t(`${named}.field`), type: "date" as const };
    dateField = `fields.${(await call("POST /v1/fields", { body })).key}`;
  }
  let segmentId = values.text("segment_id");
  if (needs?.what === "segment" && segmentId === MAKE) {
    const body = { name: t(`${named as "starts.win_back"}.segment`), list_id, rules: QUIET };
    segmentId = (await call("POST /v1/segments", { body })).id;
  }
  return { name: values.text("name"), list_id, draft: draftOf(key, t, { dateField, segmentId }) };
}

function NoList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t("automations.make.title")}
      lead={t("automations.make.noList")}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Link className="btn btn-primary" to="/lists">
            {t("automations.make.toLists")}
          </Link>
        </>
      }
    />
  );
}
