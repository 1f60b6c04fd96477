/** Edits what several people may edit. Where it was changed meanwhile, both versions are shown, and the person chooses. */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { FormDialog } from "../dialog.tsx";
import type { Value } from "../value.tsx";
import { Conflict, type Difference, type Edited } from "./conflict.tsx";
import type { Values } from "./form.tsx";

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
