/** Edits what several people may edit. Where it was changed meanwhile, both versions are shown, and the person chooses. */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { formatTime } from "../../i18n/format.ts";
import { Button } from "../button.tsx";
import { Dialog, FormDialog } from "../dialog.tsx";
import { ShownValue, type Value } from "../value.tsx";
import { type UpdatedBy, useWho } from "../who.ts";
import type { Values } from "./form.tsx";
import { ProblemNote } from "./problem-note.tsx";

export type Edited = { readonly updated_at: string; readonly updated_by: UpdatedBy };
export type Versioned<T> = { readonly body: T; readonly etag: string | undefined };

type EditDialogProps<T extends Edited, P extends object> = {
  title: string;
  /** What it was when the dialog opened: a refresh behind it changes neither the form nor the ETag. */
  etag: string | undefined;
  patchOf: (values: Values) => P;
  save: (patch: P, ifMatch: string | undefined) => Promise<unknown>;
  /** Reads it as it is now. */
  read: () => Promise<Versioned<T>>;
  /** The words for a field, by its name in the patch. */
  labelOf: (name: string) => string;
  onSaved: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
};

export function EditDialog<T extends Edited, P extends object>(props: EditDialogProps<T, P>) {
  const { title, patchOf, save, read, labelOf, onSaved, onClose, children } = props;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [etag] = useState(props.etag);
  const mine = useRef<P>(undefined);
  const [theirs, setTheirs] = useState<Versioned<T>>();

  const attempt = async (patch: P, ifMatch: string | undefined) => {
    mine.current = patch;
    try {
      await save(patch, ifMatch);
    } catch (thrown) {
      if (asApiError(thrown).status !== 412) throw thrown;
      return setTheirs(await read());
    }
    await onSaved();
  };
  const patch = mine.current;
  return (
    <FormDialog
      title={title}
      action={t("do.save")}
      onClose={onClose}
      submit={(values) => attempt(patchOf(values), etag)}
      // The form stays beneath with what was typed, and Escape leads back to it.
      over={
        theirs &&
        patch && (
          <Conflict
            theirs={theirs.body}
            differences={differencesOf(patch, theirs.body)}
            labelOf={labelOf}
            keepMine={() => attempt(patch, theirs.etag)}
            takeTheirs={async () => {
              onClose();
              await queries.invalidateQueries();
            }}
            onClose={() => setTheirs(undefined)}
          />
        )
      }
    >
      {children}
    </FormDialog>
  );
}

export type Difference = { name: string; mine: Value; theirs: Value };

type ConflictProps = {
  theirs: Edited;
  differences: readonly Difference[];
  labelOf: (name: string) => string;
  keepMine: () => Promise<void>;
  takeTheirs: () => Promise<void>;
  onClose: () => void;
};

/** Both versions beside each other, and a choice. */
export function Conflict({ theirs, differences, labelOf, keepMine, takeTheirs, onClose }: ConflictProps) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("conflict.title")}
      lead={t("conflict.lead", { who: nameOf(theirs.updated_by), time: formatTime(theirs.updated_at) })}
      onClose={onClose}
      footer={
        <>
          <Button busy={busy} onClick={() => void run(takeTheirs)}>
            {t("conflict.takeTheirs")}
          </Button>
          <Button kind="primary" busy={busy} onClick={() => void run(keepMine)}>
            {t("conflict.keepMine")}
          </Button>
        </>
      }
    >
      {differences.length > 0 ? (
        <table className="table-in">
          <thead>
            <tr>
              <th>{t("conflict.field")}</th>
              <th>{t("conflict.mine")}</th>
              <th>{t("conflict.theirs")}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((one) => (
              <tr key={one.name}>
                <td className="dim break">{labelOf(one.name)}</td>
                <td className="break">
                  <ShownValue value={one.mine} />
                </td>
                <td className="break">
                  <ShownValue value={one.theirs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="sm mid">{t("conflict.same")}</p>
      )}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

/** The fields of the patch that would change what is there now, those of objects within it too. */
export function differencesOf(patch: object, theirs: object, within = ""): readonly Difference[] {
  return Object.entries(patch).flatMap(([key, mine]) => {
    const present = (theirs as Record<string, unknown>)[key];
    const name = within + key;
    if (Array.isArray(mine)) return listDifference(name, mine, present);
    if (typeof mine === "object" && mine !== null) return differencesOf(mine, present ?? {}, `${name}.`);
    return (mine ?? null) === (present ?? null) ? [] : [{ name, mine, theirs: present as Value }];
  });
}

/** A list is one value; the order of what is in it says nothing. */
function listDifference(name: string, mine: readonly unknown[], present: unknown): readonly Difference[] {
  const shown = (list: unknown) => (Array.isArray(list) ? list.map(String).toSorted().join(", ") : "");
  return shown(mine) === shown(present) ? [] : [{ name, mine: shown(mine), theirs: shown(present) }];
}
