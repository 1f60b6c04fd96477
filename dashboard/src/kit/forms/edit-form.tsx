/**
 * A form on a page for what several people may edit. What somebody else changed meanwhile stays, and where it is the same
 * field, both versions are shown and the person chooses.
 */
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../../api/problem.ts";
import { Button } from "../button.tsx";
import { Conflict, type Edited } from "./conflict.tsx";
import { differencesOf } from "./differences.ts";
import type { Versioned } from "./edit-dialog.tsx";
import { Form, type Values } from "./form.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

type EditFormProps<T extends Edited, P extends object> = {
  /** As it was read first: a refresh behind the form changes neither what is typed nor the ETag that is sent. */
  found: Versioned<T>;
  patchOf: (values: Values) => P;
  save: (patch: P, ifMatch: string | undefined) => Promise<Versioned<T>>;
  /** Reads it as it is now. */
  read: () => Promise<Versioned<T>>;
  /** The words for a field, by its name in the patch. */
  labelOf: (name: string) => string;
  /** A field of the patch that is never shown, such as a password. */
  secret?: string;
  onSaved: (saved: Versioned<T>) => void;
  /** `touch` says that something was changed which is no field of the form. */
  children: (now: T, touch: () => void) => ReactNode;
};

export function EditForm<T extends Edited, P extends object>(props: EditFormProps<T, P>) {
  const { patchOf, save, read, labelOf, secret = "", onSaved, children } = props;
  const { t } = useTranslation();
  const [base, setBase] = useState(props.found);
  const [isChanged, setChanged] = useState(false);
  // A new key empties the form of what was typed.
  const [generation, setGeneration] = useState(0);
  const [conflict, setConflict] = useState<{ readonly patch: P; readonly theirs: Versioned<T> }>();

  const keep = (saved: Versioned<T>) => {
    setBase(saved);
    setChanged(false);
    setConflict(undefined);
    onSaved(saved);
  };
  const startAnew = () => {
    setGeneration(generation + 1);
    setChanged(false);
  };
  const send = async (patch: P) => {
    try {
      keep(await save(patch, base.etag));
    } catch (thrown) {
      if (asApiError(thrown).status !== 412) throw thrown;
      const theirs = await read();
      const isElsewhere = !(secret in patch) && isSameFor(patch, base.body, theirs.body);
      if (isElsewhere) keep(await save(patch, theirs.etag));
      else setConflict({ patch, theirs });
    }
  };
  return (
    <div onChange={() => setChanged(true)}>
      <Form key={generation} submit={(values) => send(patchOf(values))}>
        {({ busy, note }) => (
          <>
            {children(base.body, () => setChanged(true))}
            {note}
            <div className="row wrap">
              <Button kind="primary" type="submit" busy={busy}>
                {t("do.save")}
              </Button>
              {isChanged && (
                <>
                  <Button kind="quiet" onClick={startAnew}>
                    {t("editForm.discard")}
                  </Button>
                  <span className="sm dim">{t("editForm.unsaved")}</span>
                </>
              )}
            </div>
          </>
        )}
      </Form>
      <LeaveGuard isNeeded={() => isChanged} />
      {conflict && (
        <Conflict
          theirs={conflict.theirs.body}
          differences={differencesOf(conflict.patch, conflict.theirs.body).filter(
            ({ name }) => name !== secret,
          )}
          labelOf={labelOf}
          keepMine={async () => keep(await save(conflict.patch, conflict.theirs.etag))}
          takeTheirs={async () => {
            setBase(conflict.theirs);
            setConflict(undefined);
            startAnew();
          }}
          onClose={() => setConflict(undefined)}
        />
      )}
    </div>
  );
}

/** Whether nobody has changed what this patch is about. */
function isSameFor(patch: object, before: object, now: object): boolean {
  const changed = new Set(differencesOf(shapedLike(patch, before), now).map(({ name }) => name));
  return changed.size === 0;
}

/** The fields of the patch, with the values that they have in `source`. */
function shapedLike(patch: object, source: object): object {
  const entries = Object.entries(patch).map(([key, value]) => {
    const found = (source as Record<string, unknown>)[key];
    const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
    return [key, isNested ? shapedLike(value, (found ?? {}) as object) : found];
  });
  return Object.fromEntries(entries);
}
