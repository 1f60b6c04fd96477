/** A rule of a step, edited as segments are. */
import "../../segments/segments.css";
import { Plus } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isSameValue } from "../../../drafts/draft-fields.ts";
import { Button } from "../../../kit/button.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { RuleGroup } from "../../segments/builder/builder.tsx";
import { asksForNone } from "../../segments/rules/sentence.ts";
import { emptyGroup, faultsByNode, type Group, readTree, writeTree } from "../../segments/rules/tree.ts";
import { useEditing as useRuleEditing } from "../../segments/use-editing.ts";
import { useEditing } from "../editor/editing.ts";
import { isJson, type Json } from "../graph/draft.ts";
import type { FaultPlace } from "../graph/faults.ts";

type Props = {
  label: string;
  /** What stands there while there is no rule. */
  none?: string;
  value: unknown;
  place: FaultPlace;
  /** Where within its place the rule stands. */
  part: string;
  onChange: (rule: Json | undefined) => void;
};

const read = (value: unknown): Group => (isJson(value) ? readTree(value) : emptyGroup());
const write = (root: Group) => writeTree(root, () => true);

export function RuleField({ label, none, value, place, part, onChange }: Props) {
  const { t } = useTranslation();
  const { say, faults, isLocked } = useEditing();
  const [root, setRoot] = useState(() => read(value));
  const [named, setNamed] = useState<Readonly<Record<string, string>>>({});
  const id = useId();
  const written = write(root);
  // What was undone, or came from somebody else, takes the place of what is shown.
  if (!isSameValue(written?.rules, isJson(value) ? value : undefined)) {
    const theirs = read(value);
    if (!isSameValue(write(theirs)?.rules, written?.rules)) setRoot(theirs);
  }
  const here = (faults.get(place) ?? []).filter(
    (one) => one.part === part || one.part.startsWith(`${part}/`),
  );
  const byNode = faultsByNode(
    here.map(({ part: at, detail }) => ({ pointer: `/rules${at.slice(part.length)}`, detail })),
    written?.places ?? new Map([["/rules", root.id]]),
  );
  const said = useMemo(
    () => ({ ...say, names: { ...say.names, byId: { ...say.names.byId, ...named } } }),
    [say, named],
  );
  const change = (next: Group) => {
    setRoot(next);
    onChange(write(next)?.rules);
  };
  const editing = useRuleEditing(root, change, {
    say: said,
    faults: byNode,
    onNamed: (campaign, name) => setNamed((before) => ({ ...before, [campaign]: name })),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend can't be laid out like a label.
    <div className="stack" role="group" aria-labelledby={id}>
      <span className="flabel" id={id}>
        {label}
      </span>
      {root.members.length === 0 ? (
        <div className="row wrap">
          {none && <span className="sm mid">{none}</span>}
          {!isLocked && (
            <Button size="sm" icon={Plus} data-add={root.id} onClick={() => editing.add(root.id, "rule")}>
              {t("step.fields.noRule")}
            </Button>
          )}
          {here.map(({ detail }) => (
            <span key={detail} className="err">
              {sentence(detail)}
            </span>
          ))}
        </div>
      ) : (
        <RuleGroup group={root} editing={editing} />
      )}
      {asksForNone(root) && <p className="note info">{t("step.fields.unseen")}</p>}
    </div>
  );
}
