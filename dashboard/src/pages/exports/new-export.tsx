/** Exports what is shown: a list, a segment, or a filter, which is kept as a segment since an export is of one of those. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { query } from "../../api/queries.ts";
import { FormDialog } from "../../kit/dialog.tsx";
import { SelectField, TextField } from "../../kit/field.tsx";
import type { Values } from "../../kit/form.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useLists } from "../subscribers/reference-data.ts";
import { filterOf, type Search } from "../subscribers/search.ts";
import { startDownload } from "./download.ts";

type NewExportProps = { search?: Search; onClose: () => void };

export default function NewExport({ search = {}, onClose }: NewExportProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const rules = rulesOf(search);
  const isFiltered = rules.length > 0;

  const make = async (values: Values) => {
    const segmentId = isFiltered ? await keepFilter(values.text("name"), search.list, rules) : undefined;
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
        <Choice list={search.list} />
      )}
    </FormDialog>
  );
}

function Choice({ list }: { list: string | undefined }) {
  const { t } = useTranslation();
  const lists = useLists();
  const segments = useQuery(query("GET /v1/segments", { query: { limit: 200 } })).data?.data ?? [];
  const [chosen, setChosen] = useState<string>();
  const options = [
    ...lists.map(({ id, name }) => ({ value: `list ${id}`, label: t("exports.ofList", { name }) })),
    ...segments.map(({ id, name }) => ({ value: `segment ${id}`, label: t("exports.ofSegment", { name }) })),
  ];
  return (
    <SelectField
      name="of"
      label={t("exports.what")}
      options={options}
      value={chosen ?? (list ? `list ${list}` : options[0]?.value)}
      onChange={(event) => setChosen(event.target.value)}
    />
  );
}

type Condition = { readonly field: string; readonly op: string; readonly value: string };

/** The filter of the table as the rules of a segment; its list is the segment's own. */
function rulesOf(search: Search): readonly Condition[] {
  const { status, created_after, created_before } = filterOf(search);
  return [
    ...(status ? [{ field: "status", op: "is", value: status }] : []),
    ...(search.tag ?? []).map((value) => ({ field: "tag", op: "has", value })),
    ...(created_after ? [{ field: "created_at", op: "after", value: created_after }] : []),
    ...(created_before ? [{ field: "created_at", op: "before", value: created_before }] : []),
  ];
}

async function keepFilter(
  name: string,
  list: string | undefined,
  all: readonly Condition[],
): Promise<string> {
  const made = await call("POST /v1/segments", { body: { name, list_id: list ?? null, rules: { all } } });
  return made.id;
}
