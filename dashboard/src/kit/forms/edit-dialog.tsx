/** Edits what several people may edit. Where it was changed meanwhile, both versions are shown, and the person chooses. */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { FormDialog } from "../overlays/dialog.tsx";
import { Conflict, type Edited } from "./conflict.tsx";
import { differencesOf } from "./differences.ts";
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
  /** A field of the patch that is never shown, such as a password. */
  secret?: string;
  onSaved: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
};

export function EditDialog<T extends Edited, P extends object>(props: EditDialogProps<T, P>) {
  const { title, patchOf, save, read, labelOf, secret, onSaved, onClose, children } = props;
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
            differences={differencesOf(patch, theirs.body).filter(({ name }) => name !== secret)}
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
