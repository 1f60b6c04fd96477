/** Chooses the events of an endpoint: everything, whole groups, or single types. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/format.ts";
import { Checkbox, CheckboxGroup } from "../../kit/forms/field.tsx";
import { allOf, EVERYTHING, type EventType, GROUPS, type Group, typesOfGroup } from "./event-choice.ts";

export function EventChooser({ chosen: first }: { chosen: readonly string[] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(first));
  const toggle = (pattern: string) => {
    const next = new Set(chosen);
    if (!next.delete(pattern)) next.add(pattern);
    setChosen(next);
  };
  /** A whole group stands for its types, so that they needn't be named beside it. */
  const toggleGroup = (group: Group) => {
    const next = new Set(chosen);
    if (!next.delete(allOf(group))) next.add(allOf(group));
    for (const type of typesOfGroup(group)) next.delete(type);
    setChosen(next);
  };
  const isAll = chosen.has(EVERYTHING);
  return (
    <CheckboxGroup name="events" legend={t("webhooks.choose.legend")} faultText={t("webhooks.choose.none")}>
      {(isAll ? [EVERYTHING] : [...chosen]).map((pattern) => (
        <input key={pattern} type="hidden" name="events" value={pattern} />
      ))}
      <Checkbox
        label={t("webhooks.choose.all")}
        hint={t("webhooks.choose.allHint")}
        checked={isAll}
        onChange={() => toggle(EVERYTHING)}
      />
      {!isAll && (
        <ul className="event-groups">
          {GROUPS.map((group) => (
            <GroupChoice
              key={group}
              group={group}
              chosen={chosen}
              onGroup={() => toggleGroup(group)}
              onType={toggle}
            />
          ))}
        </ul>
      )}
    </CheckboxGroup>
  );
}

type GroupProps = {
  group: Group;
  chosen: ReadonlySet<string>;
  onGroup: () => void;
  onType: (type: EventType) => void;
};

function GroupChoice({ group, chosen, onGroup, onType }: GroupProps) {
  const { t } = useTranslation();
  const types = typesOfGroup(group);
  const isWhole = chosen.has(allOf(group));
  const count = types.filter((type) => chosen.has(type)).length;
  const [isOpen, setOpen] = useState(count > 0);
  const name = t(`eventGroups.${group}`);
  return (
    <li>
      <div className="row between top">
        <label className="check">
          <input type="checkbox" checked={isWhole} onChange={onGroup} />
          <span>
            {name}
            <span className="hint mono">{allOf(group)}</span>
          </span>
        </label>
        {!isWhole && (
          <button
            type="button"
            className="text-button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {count > 0
              ? t("webhooks.choose.chosen", { number: formatNumber(count), of: formatNumber(types.length) })
              : t("webhooks.choose.single")}
            <span className="sr">{t("webhooks.choose.of", { group: name })}</span>
          </button>
        )}
      </div>
      {isOpen && !isWhole && (
        <div className="event-types">
          {types.map((type) => (
            <label key={type} className="check">
              <input type="checkbox" checked={chosen.has(type)} onChange={() => onType(type)} />
              <span>
                {t(`eventTypes.${type}`)}
                <span className="hint mono">{type}</span>
              </span>
            </label>
          ))}
        </div>
      )}
    </li>
  );
}
