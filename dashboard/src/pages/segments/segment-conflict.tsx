import { useTranslation } from "react-i18next";
import type { Segment } from "../../api/openapi.ts";
import { ConflictDialog } from "../../kit/forms/conflict.tsx";
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
  const say = { ...ofMine, names: { ...ofMine.names, byId: { ...theirs.names, ...ofMine.names.byId } } };
  const theirList = theirs.list_id && (say.names.byId[theirs.list_id] ?? t("segments.goneList"));
  return (
    <ConflictDialog theirs={theirs} keepMine={keepMine} takeTheirs={takeTheirs} onClose={onClose}>
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
    </ConflictDialog>
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
