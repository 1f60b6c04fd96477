/** Sections are saved, renamed and deleted here. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../../../api/client.ts";
import type { SectionSummary } from "../../../../../../api/openapi.ts";
import { pageQuery } from "../../../../../../api/queries.ts";
import { Button } from "../../../../../../kit/button.tsx";
import { TextField } from "../../../../../../kit/forms/field.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../../../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../../../../kit/states.tsx";
import { notify } from "../../../../../../kit/toasts.tsx";
import type { Block } from "../../document/types.ts";

const MOST = 50;
const LONGEST_NAME = 200;

export function SaveSection({ block, onClose }: { block: Block; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={t("blocksEditor.sections.saveTitle")}
      lead={t("blocksEditor.sections.saveLead")}
      action={t("blocksEditor.sections.save")}
      onClose={onClose}
      submit={async (values) => {
        const name = values.text("name");
        await call("POST /v1/sections", { body: { name, blocks: { version: 1, blocks: [block] } } });
        await queries.invalidateQueries({ queryKey: ["sections"] });
        notify(t("blocksEditor.sections.saved", { name }));
        onClose();
      }}
    >
      <TextField
        name="name"
        label={t("blocksEditor.sections.name")}
        maxLength={LONGEST_NAME}
        autoComplete="off"
      />
    </FormDialog>
  );
}

export function ManageSections({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(pageQuery("GET /v1/sections", { query: { limit: MOST } }));
  const [over, setOver] = useState<{ act: "rename" | "delete"; section: SectionSummary }>();
  const close = () => setOver(undefined);
  return (
    <Dialog
      title={t("blocksEditor.sections.manageTitle")}
      lead={t("blocksEditor.sections.manageLead")}
      onClose={onClose}
      over={
        over?.act === "rename" ? (
          <Rename section={over.section} onClose={close} />
        ) : (
          over && <Delete section={over.section} onClose={close} />
        )
      }
      footer={<Button onClick={onClose}>{t("do.close")}</Button>}
    >
      {error ? (
        <Failure title={t("blocksEditor.sections.unreadable")} error={error} retry={() => void refetch()} />
      ) : data ? (
        <ul className="section-list">
          {data.data.length === 0 && <li className="sm dim">{t("blocksEditor.sections.none")}</li>}
          {data.data.map((section) => (
            <li key={section.id} className="row between">
              <span className="trunc">{section.name}</span>
              <span className="row">
                <Button size="sm" onClick={() => setOver({ act: "rename", section })}>
                  {t("blocksEditor.sections.rename")}
                </Button>
                <Button size="sm" onClick={() => setOver({ act: "delete", section })}>
                  {t("blocksEditor.sections.delete")}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <SkeletonLines lines={4} />
      )}
    </Dialog>
  );
}

function Rename({ section, onClose }: { section: SectionSummary; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name } = section;
  return (
    <FormDialog
      title={t("blocksEditor.sections.rename")}
      action={t("blocksEditor.sections.save")}
      onClose={onClose}
      submit={async (values) => {
        await call("PATCH /v1/sections/{id}", { path: { id }, body: { name: values.text("name") } });
        await queries.invalidateQueries({ queryKey: ["sections"] });
        onClose();
      }}
    >
      <TextField
        name="name"
        label={t("blocksEditor.sections.renameOf", { name })}
        defaultValue={name}
        maxLength={LONGEST_NAME}
        autoComplete="off"
      />
    </FormDialog>
  );
}

function Delete({ section, onClose }: { section: SectionSummary; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name } = section;
  return (
    <ConfirmDialog
      title={t("blocksEditor.sections.deleteTitle", { name })}
      lead={t("blocksEditor.sections.deleteLead")}
      action={t("blocksEditor.sections.delete")}
      confirm={async () => {
        await call("DELETE /v1/sections/{id}", { path: { id } });
        await queries.invalidateQueries({ queryKey: ["sections"] });
        notify(t("blocksEditor.sections.deleted", { name }));
      }}
      onClose={onClose}
    />
  );
}
