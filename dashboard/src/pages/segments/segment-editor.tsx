/** Name, list and rules of a segment, with what they come to beside them. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Save } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { Segment } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { Form } from "../../kit/forms/form.tsx";
import { LeaveGuard } from "../../kit/forms/leave-guard.tsx";
import { PageHead } from "../../kit/page.tsx";
import { notify, notifyFailure } from "../../kit/toasts.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { useLists } from "../subscribers/reference-data.ts";
import { RuleGroup } from "./builder/builder.tsx";
import { DeleteSegment } from "./delete-segment.tsx";
import { Preview } from "./preview.tsx";
import { nodeOf } from "./rules/edit-tree.ts";
import { asksForNone, sentenceOf } from "./rules/sentence.ts";
import { faultsByNode, type Group, type NodeFault, type Rules, readTree, writeTree } from "./rules/tree.ts";
import { SegmentActions } from "./segment-actions.tsx";
import { SegmentConflict } from "./segment-conflict.tsx";
import { useEditing } from "./use-editing.ts";
import { usePreview } from "./use-preview.ts";
import { useSay } from "./use-say.ts";

type Saved = { readonly segment: Segment; readonly etag: string | undefined };
type Beginning = {
  readonly name: string;
  readonly list_id: string | null;
  readonly rules: Rules;
  readonly names: Readonly<Record<string, string>>;
};
type Refused = { readonly root: Group; readonly faults: ReadonlyMap<string, readonly NodeFault[]> };

const NO_RULES = { rules: { all: [] }, places: new Map<string, string>() };
const writeAll = (root: Group) => writeTree(root, () => true) ?? NO_RULES;

export function SegmentEditor({ saved: opened, beginning }: { saved?: Saved; beginning: Beginning }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const formId = useId();
  const lists = useLists();
  const [saved, setSaved] = useState(opened);
  const [name, setName] = useState(beginning.name);
  const [listId, setListId] = useState(beginning.list_id);
  const [root, setRoot] = useState(() => readTree(beginning.rules));
  const [chosenNames, setChosenNames] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<Refused>();
  const [theirs, setTheirs] = useState<Saved>();
  const [isDeleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState(false);
  const say = useSay({ ...beginning.names, ...saved?.segment.names, ...chosenNames });
  const preview = usePreview(root, listId, say.names.fields);
  const builder = useRef<HTMLDivElement>(null);

  const written = writeAll(root);
  const base = saved?.segment;
  const isChanged = base
    ? name !== base.name ||
      listId !== base.list_id ||
      JSON.stringify(written.rules) !== JSON.stringify(writeAll(readTree(base.rules)).rules)
    : root.members.length > 0 || name !== beginning.name;
  const isLeaving = useRef(false);

  const editing = useEditing(root, setRoot, {
    say,
    faults: faultsNow(root, refused, preview),
    onNamed: (id, called) => setChosenNames((before) => ({ ...before, [id]: called })),
  });
  const body = { name, list_id: listId, rules: written.rules };
  const save = async (ifMatch: string | undefined) => {
    setRefused(undefined);
    if (!saved) {
      const made = await call("POST /v1/segments", { body });
      isLeaving.current = true;
      await queries.invalidateQueries({ queryKey: ["segments"] });
      notify(t("segments.created", { name: made.name }));
      await navigate({ to: "/segments/$id", params: { id: made.id }, replace: true });
      return;
    }
    const path = { id: saved.segment.id };
    const reply = await request("PATCH /v1/segments/{id}", { path, body, ifMatch });
    setSaved({ segment: reply.body, etag: reply.etag });
    await queries.invalidateQueries({ queryKey: ["segments"] });
    notify(t("segments.saved"));
  };
  const submit = async () => {
    setBusy(true);
    try {
      await save(saved?.etag);
    } finally {
      setBusy(false);
    }
  };
  const onRefused = (error: ApiError): boolean => {
    if (error.status === 412 && saved) {
      const path = { id: saved.segment.id };
      request("GET /v1/segments/{id}", { path }).then(
        (reply) => setTheirs({ segment: reply.body, etag: reply.etag }),
        (failure) => notifyFailure(asApiError(failure).message),
      );
      return true;
    }
    const faults = faultsByNode(error.faults, written.places);
    setRefused({ root, faults });
    const ofRules = error.faults.filter(({ pointer }) => pointer?.startsWith("/rules/"));
    return ofRules.length > 0 && ofRules.length === error.faults.length && faults.size > 0;
  };
  useEffect(() => {
    if (refused) builder.current?.querySelector<HTMLElement>("[data-invalid]")?.focus();
  }, [refused]);
  const takeTheirs = (from: Saved) => {
    setSaved(from);
    setName(from.segment.name);
    setListId(from.segment.list_id);
    setRoot(readTree(from.segment.rules));
    setTheirs(undefined);
  };
  const press = () => document.querySelector<HTMLFormElement>(`form[id="${formId}"]`)?.requestSubmit();
  useRegisterActions([{ id: "save-segment", label: t("do.save"), icon: Save, keys: "mod+s", run: press }]);
  const listName = listId && (say.names.byId[listId] ?? t("segments.goneList"));
  return (
    <>
      <PageHead
        title={base?.name ?? t("segments.new")}
        crumb={{ label: t("nav.segments"), to: "/segments" }}
        actions={
          <SegmentActions
            segment={base}
            isChanged={isChanged}
            rules={written.rules}
            formId={formId}
            busy={busy}
            onDelete={() => setDeleting(true)}
          />
        }
      />
      <div className="segment">
        <div className="segment-main">
          <p className="segment-sentence" dir="auto">
            {sentenceOf(root, listName, say).map(({ text, isStrong }, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no names, and are all drawn anew.
              isStrong ? <b key={at}>{text}</b> : <i key={at}>{text}</i>,
            )}
          </p>
          <Form id={formId} submit={submit} onRefused={onRefused}>
            <div className="two">
              <TextField
                name="name"
                label={t("segments.name")}
                maxLength={200}
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
              <SelectField
                name="list_id"
                label={t("segments.list")}
                value={listId ?? ""}
                onChange={(event) => setListId(event.target.value || null)}
                options={[
                  { value: "", label: t("segments.allLists") },
                  ...(listId && !lists.some(({ id }) => id === listId)
                    ? [{ value: listId, label: t("segments.goneList") }]
                    : []),
                  ...lists.map((list) => ({ value: list.id, label: list.name })),
                ]}
              />
            </div>
          </Form>
          <section className="stack" aria-label={t("builder.title")} ref={builder}>
            <RuleGroup group={root} editing={editing} />
            {root.members.length > 0 && <p className="xs dim hide-s">{t("builder.keys")}</p>}
          </section>
          {asksForNone(root) && <p className="note">{t("builder.unseen")}</p>}
        </div>
        <Preview preview={preview} root={root} listId={listId} say={say} />
      </div>
      {theirs && (
        <SegmentConflict
          mine={{ name, listName, root }}
          theirs={theirs.segment}
          say={say}
          keepMine={async () => {
            await save(theirs.etag);
            setTheirs(undefined);
          }}
          takeTheirs={() => takeTheirs(theirs)}
          onClose={() => setTheirs(undefined)}
        />
      )}
      {base && isDeleting && (
        <DeleteSegment
          segment={base}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            isLeaving.current = true;
            void navigate({ to: "/segments" });
          }}
        />
      )}
      <LeaveGuard isNeeded={() => isChanged && !isLeaving.current} />
    </>
  );
}

/** What the last save found, of the rules that are still as they were; and what the last count found. */
function faultsNow(root: Group, refused: Refused | undefined, preview: ReturnType<typeof usePreview>) {
  const found = new Map<string, readonly NodeFault[]>();
  for (const [id, faults] of refused?.faults ?? []) {
    const isSame =
      id === root.id ? refused?.root === root : nodeOf(root, id) === (refused && nodeOf(refused.root, id));
    if (isSame) found.set(id, faults);
  }
  const { error, isSettled, written } = preview;
  if (!error || !isSettled || !written) return found;
  for (const [id, faults] of faultsByNode(asApiError(error).faults, written.places)) found.set(id, faults);
  return found;
}
