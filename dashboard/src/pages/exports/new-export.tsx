/** Exports what is shown: a list, a segment, or a filter, which is kept as a segment since an export is of one of those. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { query } from "../../api/queries.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useLists } from "../subscribers/reference-data.ts";
import { filterOf, type Search } from "../subscribers/search.ts";
import { startDownload } from "./download.ts";

type NewExportProps = { search?: Search; onClose: () => void };

export default function NewExport({ search = {}, onClose }: NewExportProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const isFiltered = conditionsOf(search).length > 0 || (search.list && search.segment) !== undefined;

  const make = async (values: Values) => {
    const segmentId = isFiltered ? await keepFilter(values.text("name"), search) : undefined;
    const [kind, id = ""] = values.text("of").split(" ");
    const body = segmentId
      ? { segment_id: segmentId }
      : kind === "segment"
        ? { segment_id: id }
        : { list_id: id };
    const made = await call("POST /v1/exports", { body });
    startDownload(made);
    onClose();
    await Promise.all(
      ["exports", "segments"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
    );
    notify(t("exports.begun"));
  };
  return (
    <FormDialog
      title={t("exports.new")}
      lead={isFiltered ? t("exports.filterLead") : t("exports.newLead")}
      action={t("exports.make")}
      onClose={onClose}
      submit={make}
    >
      {isFiltered ? (
        <TextField
          name="name"
          label={t("exports.segmentName")}
          hint={t("exports.segmentHint")}
          maxLength={200}
          autoComplete="off"
        />
      ) : (
        <Choice search={search} />
      )}
    </FormDialog>
  );
}

function Choice({ search: { list, segment } }: { search: Search }) {
  const { t } = useTranslation();
  const lists = useLists();
  const segments = useQuery(query("GET /v1/segments", { query: { limit: 200 } })).data?.data ?? [];
  const [chosen, setChosen] = useState<string>();
  const shown = segment ? `segment ${segment}` : list && `list ${list}`;
  const options = [
    ...lists.map(({ id, name }) => ({ value: `list ${id}`, label: t("exports.ofList", { name }) })),
    ...segments.map(({ id, name }) => ({ value: `segment ${id}`, label: t("exports.ofSegment", { name }) })),
  ];
  return (
    <SelectField
      name="of"
      label={t("exports.what")}
      options={options}
      value={chosen ?? shown ?? options[0]?.value}
      onChange={(event) => setChosen(event.target.value)}
    />
  );
}

type Condition = { readonly field: string; readonly op: string; readonly value: string };

/** The filter of the table as conditions of a segment, apart from list and segment. */
function conditionsOf(search: Search): readonly Condition[] {
  const { status, created_after, created_before } = filterOf(search);
  return [
    ...(status ? [{ field: "status", op: "is", value: status }] : []),
    ...(search.tag ?? []).map((value) => ({ field: "tag", op: "has", value })),
    ...(created_after ? [{ field: "created_at", op: "after", value: created_after }] : []),
    ...(created_before ? [{ field: "created_at", op: "before", value: created_before }] : []),
  ];
}

/** A segment that is part of the filter lends its rules and its list, and a list beside it is a rule more. */
async function keepFilter(name: string, search: Search): Promise<string> {
  const { list = null, segment } = search;
  const conditions = conditionsOf(search);
  const known = segment ? await call("GET /v1/segments/{id}", { path: { id: segment } }) : undefined;
  const onList = known && list ? [{ field: "list", op: "is", value: list }] : [];
  const all = [...(known ? [known.rules] : []), ...onList, ...conditions];
  const listId = known ? known.list_id : list;
  return (await call("POST /v1/segments", { body: { name, list_id: listId, rules: { all } } })).id;
}
