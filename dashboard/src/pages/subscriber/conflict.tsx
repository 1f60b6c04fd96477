import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Subscriber, SubscriberPatch } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ProblemNote } from "../../kit/problem-note.tsx";
import { FieldValue } from "../subscribers/columns.tsx";

type Value = string | number | boolean | null | undefined;
type Difference = { name: string; mine: Value; theirs: Value };

type Props = {
  mine: SubscriberPatch;
  theirs: Subscriber;
  keepMine: () => Promise<void>;
  takeTheirs: () => Promise<void>;
  onClose: () => void;
};

/** Somebody else changed it since the form was opened: both versions beside each other, and a choice. */
export function Conflict({ mine, theirs, keepMine, takeTheirs, onClose }: Props) {
  const { t } = useTranslation();
  const [error, setError] = useState<ApiError>();
  const differences = differencesOf(mine, theirs);
  const run = (work: () => Promise<void>) => void work().catch((thrown) => setError(asApiError(thrown)));
  return (
    <Dialog
      title={t("conflict.title")}
      lead={t("conflict.lead", { time: formatTime(theirs.updated_at) })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => run(takeTheirs)}>{t("conflict.takeTheirs")}</Button>
          <Button kind="primary" onClick={() => run(keepMine)}>
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
                <td className="dim">{one.name}</td>
                <td className="break">
                  <FieldValue value={one.mine} />
                </td>
                <td className="break">
                  <FieldValue value={one.theirs} />
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

function differencesOf(mine: SubscriberPatch, theirs: Subscriber): readonly Difference[] {
  const { fields = {}, ...plain } = mine;
  const pairs: Difference[] = [
    ...Object.entries(plain).map(([name, value]) => ({
      name,
      mine: value as Value,
      theirs: theirs[name as keyof Subscriber] as Value,
    })),
    ...Object.entries(fields ?? {}).map(([name, value]) => ({
      name,
      mine: value,
      theirs: theirs.fields[name],
    })),
  ];
  return pairs.filter((one) => (one.mine ?? null) !== (one.theirs ?? null));
}
