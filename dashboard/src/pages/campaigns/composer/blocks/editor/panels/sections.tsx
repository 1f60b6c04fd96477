/** Sections are saved, searched, added, renamed and deleted here. */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../../../api/client.ts";
import type { SectionSummary } from "../../../../../../api/openapi.ts";
import { Button } from "../../../../../../kit/button.tsx";
import { TextField } from "../../../../../../kit/forms/field.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../../../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../../../../kit/states.tsx";
import { notify } from "../../../../../../kit/toasts.tsx";
import type { Block } from "../../document/types.ts";
import type { Controls } from "../controls.ts";
import { useInsertSection } from "./use-sections.ts";

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

export function ManageSections({ controls, onClose }: { controls: Controls; onClose: () => void }) {
  const { t } = useTranslation();
  const [over, setOver] = useState<{ act: "rename" | "delete"; section: SectionSummary }>();
  const [wanted, setWanted] = useState("");
  const insert = useInsertSection(controls);
  const { found, isAll } = useFound(wanted.trim());
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const sections = data?.pages.flatMap((page) => page.data);
  const close = () => setOver(undefined);
  const add = (id: string) => {
    onClose();
    void insert(id);
  };
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
      <TextField
        name="search"
        type="search"
        label={t("blocksEditor.sections.search")}
        autoComplete="off"
        maxLength={LONGEST_NAME}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      {error ? (
        <Failure title={t("blocksEditor.sections.unreadable")} error={error} retry={() => void refetch()} />
      ) : sections ? (
        <ul className="section-list">
          {sections.length === 0 && (
            <li className="sm dim">
              {t(isAll ? "blocksEditor.sections.none" : "blocksEditor.sections.noneFound")}
            </li>
          )}
          {sections.map((section) => (
            <li key={section.id} className="row between">
              <span className="trunc">{section.name}</span>
              <span className="row">
                <Button
                  size="sm"
                  aria-label={t("blocksEditor.sections.add", { name: section.name })}
                  onClick={() => add(section.id)}
                >
                  {t("blocksEditor.ask.add")}
                </Button>
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
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("blocksEditor.sections.more")}
        </Button>
      )}
    </Dialog>
  );
}

/** The sections with a name like it, the newest first, page by page. Each letter is searched for once the one before is drawn. */
function useFound(wanted: string) {
  const q = useDeferredValue(wanted);
  const found = useInfiniteQuery({
    queryKey: ["sections", "found", q],
    queryFn: ({ pageParam, signal }) =>
      call("GET /v1/sections", {
        query: { limit: MOST, ...(q !== "" && { q }), ...(pageParam !== "" && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  return { found, isAll: q === "" };
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
