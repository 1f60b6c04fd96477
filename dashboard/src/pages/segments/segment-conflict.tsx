import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Segment } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { useWho } from "../../kit/who.ts";
import { type Say, sentenceOf, textOf } from "./rules/sentence.ts";
import { type Group, readTree } from "./rules/tree.ts";

type Props = {
  mine: { readonly name: string; readonly listName: string | null; readonly root: Group };
  theirs: Segment;
  say: Say;
  keepMine: () => Promise<void>;
  takeTheirs: () => void;
  onClose: () => void;
};

/** Somebody saved meanwhile: both versions as sentences, and a choice. */
export function SegmentConflict({ mine, theirs, say: ofMine, keepMine, takeTheirs, onClose }: Props) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const say = { ...ofMine, names: { ...ofMine.names, byId: { ...theirs.names, ...ofMine.names.byId } } };
  const theirList = theirs.list_id && (say.names.byId[theirs.list_id] ?? t("segments.goneList"));
  const keep = async () => {
    setBusy(true);
    try {
      await keepMine();
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
          <Button onClick={takeTheirs}>{t("conflict.takeTheirs")}</Button>
          <Button kind="primary" busy={busy} onClick={() => void keep()}>
            {t("conflict.keepMine")}
          </Button>
        </>
      }
    >
      <Version
        label={t("conflict.mine")}
        name={mine.name}
        text={textOf(sentenceOf(mine.root, mine.listName, say))}
      />
      <Version
        label={t("conflict.theirs")}
        name={theirs.name}
        text={textOf(sentenceOf(readTree(theirs.rules), theirList, say))}
      />
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

function Version({ label, name, text: sentence }: { label: string; name: string; text: string }) {
  return (
    <section className="stack tight">
      <h3 className="label">{label}</h3>
      <p className="med break" dir="auto">
        {name}
      </p>
      <p className="sm mid break" dir="auto">
        {sentence}
      </p>
    </section>
  );
}
