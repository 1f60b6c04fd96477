/** What several people edited at once: who was faster, both versions, and a choice. */
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { formatTime } from "../../i18n/format.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../overlays/dialog.tsx";
import { ShownValue } from "../value.tsx";
import { type UpdatedBy, useWho } from "../who.ts";
import type { Difference } from "./differences.ts";
import { ProblemNote } from "./problem-note.tsx";

export type Edited = { readonly updated_at: string; readonly updated_by: UpdatedBy };

type ConflictDialogProps = {
  theirs: Edited;
  keepMine: () => Promise<void>;
  takeTheirs: () => Promise<void> | void;
  onClose: () => void;
  /** Both versions, for the person to compare. */
  children: ReactNode;
};

export function ConflictDialog({ theirs, keepMine, takeTheirs, onClose, children }: ConflictDialogProps) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void> | void) => {
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
      {children}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

type ConflictProps = Omit<ConflictDialogProps, "children"> & {
  differences: readonly Difference[];
  labelOf: (name: string) => string;
};

/** The same for the fields of a form, both values beside each other. */
export function Conflict({ differences, labelOf, ...choice }: ConflictProps) {
  const { t } = useTranslation();
  return (
    <ConflictDialog {...choice}>
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
    </ConflictDialog>
  );
}
