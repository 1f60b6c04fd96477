/** The rules as rows, in groups within groups. Everything can be reached by keys, and each change leaves the focus where one goes on. */
import { Group as GroupIcon, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import type { Editing } from "../editing.ts";
import { canNest } from "../rules/edit-tree.ts";
import { partsOf, textOf } from "../rules/sentence.ts";
import type { Group } from "../rules/tree.ts";
import { NodeButtons, Nots, RuleRow } from "./rule-row.tsx";

const WORDS = {
  all: { word: "all", nots: 0 },
  any: { word: "any", nots: 0 },
  none: { word: "any", nots: 1 },
  notAll: { word: "all", nots: 1 },
} as const;
type Word = keyof typeof WORDS;

function wordOf({ word, nots }: Group): Word {
  const isNot = nots % 2 === 1;
  if (word === "all") return isNot ? "notAll" : "all";
  return isNot ? "none" : "any";
}

/** A group's head, its members with the word between them, and what can be added. */
export function RuleGroup({ group, editing }: { group: Group; editing: Editing }) {
  const { t } = useTranslation();
  const { root, add } = editing;
  const word = wordOf(group);
  const isRoot = group.id === root.id;
  const faults = editing.faults.get(group.id) ?? [];
  return (
    <div className="rules">
      <div className="row rules-head">
        {group.nots > 1 && <Nots count={group.nots} />}
        <label className="row">
          <span className="sm mid">{t("builder.word")}</span>
          <select
            className="input input-sm rule-op"
            data-subject={isRoot ? undefined : true}
            value={word}
            onChange={({ target }) => editing.changeGroup(group.id, WORDS[target.value as Word])}
          >
            {(Object.keys(WORDS) as Word[]).map((one) => (
              <option key={one} value={one}>
                {t(`builder.wordOf.${one}`)}
              </option>
            ))}
          </select>
        </label>
        {!isRoot && (
          <>
            <span className="grow" />
            <NodeButtons
              id={group.id}
              words={textOf(partsOf(group, editing.say, false)) || t("builder.group")}
              editing={editing}
            />
          </>
        )}
      </div>
      {faults.map(({ part, detail }) => (
        <p key={part + detail} className="err" role="alert">
          {detail}
        </p>
      ))}
      <ul className="rule-list">
        {group.members.map((member, at) => (
          <li key={member.id}>
            {at > 0 && (
              <div className="joint">
                <span>{t(`builder.joint.${word}`)}</span>
              </div>
            )}
            {member.kind === "condition" ? (
              <RuleRow condition={member} editing={editing} />
            ) : (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend, which would be read with each field.
              <div
                className="rule-group"
                role="group"
                id={member.id}
                aria-label={t("builder.group")}
                onKeyDown={editing.onKeyDown(member.id)}
              >
                <RuleGroup group={member} editing={editing} />
              </div>
            )}
          </li>
        ))}
      </ul>
      <div className="row wrap">
        <Button size="sm" icon={Plus} data-add={group.id} onClick={() => add(group.id, "rule")}>
          {t("builder.add")}
        </Button>
        {canNest(root, group.id) && (
          <Button size="sm" kind="quiet" icon={GroupIcon} onClick={() => add(group.id, "group")}>
            {t("builder.addGroup")}
          </Button>
        )}
      </div>
    </div>
  );
}
