import { ArrowDown, ArrowUp, CircleAlert, Copy, Ellipsis, Replace, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { sentence } from "../../../kit/sentence.ts";
import type { Editing } from "../editing.ts";
import { partsOf, textOf } from "../rules/sentence.ts";
import {
  firstValue,
  isBuiltIn,
  kindOf,
  OPS,
  type Op,
  ownFieldOf,
  SUBJECTS,
  type SubjectGroup,
  shapeOf,
} from "../rules/subjects.ts";
import type { Condition } from "../rules/tree.ts";
import { ValueInput } from "./value-input.tsx";

/** One condition: what it is about, how, and with which value. */
export function RuleRow({ condition, editing }: { condition: Condition; editing: Editing }) {
  const { t } = useTranslation();
  const { say, faults: allFaults, change, onNamed } = editing;
  const { id, field, op, value, machines } = condition;
  const kind = kindOf(field, say.names.fields);
  const shape = kind && shapeOf(kind, op);
  const faults = allFaults.get(id) ?? [];
  const isBad = (part: string) => faults.some((one) => one.part.split("/")[0] === part);
  const words = textOf(partsOf(condition, say, false));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a row of a list, and needs a legend.
    <div className="rule" role="group" aria-label={words} id={id} onKeyDown={editing.onKeyDown(id)}>
      <div className="rule-parts">
        <Nots count={condition.nots} />
        <Subject condition={condition} editing={editing} isBad={isBad("field")} />
        {kind && (
          <select
            className="input input-sm rule-op"
            aria-label={t("builder.op")}
            aria-invalid={isBad("op") || undefined}
            value={op}
            onChange={({ target }) => {
              const next = shapeOf(kind, target.value);
              change(id, { op: target.value, value: next === shape ? value : firstValue(next) });
            }}
          >
            {OPS[kind].map((one: Op) => (
              <option key={one} value={one}>
                {kind === "list"
                  ? t(`builder.listOps.${one as "is"}`)
                  : kind === "sent" && one === "at_least"
                    ? t("builder.sentOps.at_least")
                    : t(`builder.ops.${one}`)}
              </option>
            ))}
          </select>
        )}
        {kind && shape && (
          <ValueInput
            key={`${field} ${shape}`}
            kind={kind}
            shape={shape}
            value={value}
            names={say.names.byId}
            isBad={isBad("value")}
            onChange={(next) => change(id, { value: next })}
            onNamed={onNamed}
          />
        )}
        {(kind === "opened" || kind === "clicked") && (
          <label className="check rule-check">
            <input
              type="checkbox"
              checked={machines === true}
              onChange={({ target }) => change(id, { machines: target.checked })}
            />
            {t("builder.machines")}
          </label>
        )}
      </div>
      <NodeButtons id={id} words={words} editing={editing} />
      {faults.length > 0 && (
        <div className="rule-faults" role="alert">
          {faults.map(({ part, detail }) => (
            <p key={part + detail} className="err">
              <Icon of={CircleAlert} size="sm" />
              <span>{sentence(detail)}</span>
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

/** The API may have put any number of `not` around a rule. */
export function Nots({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return <span className="badge warn">{count === 1 ? t("builder.not") : t("builder.notTwice")}</span>;
}

export function NodeButtons({ id, words, editing }: { id: string; words: string; editing: Editing }) {
  const { t } = useTranslation();
  return (
    <div className="rule-buttons">
      <Menu
        trigger={
          <Button kind="quiet" size="sm" icon={Ellipsis} aria-label={t("do.moreOf", { name: words })} />
        }
        items={[
          { label: t("builder.moveUp"), icon: ArrowUp, run: () => editing.move(id, -1) },
          { label: t("builder.moveDown"), icon: ArrowDown, run: () => editing.move(id, 1) },
          { label: t("builder.duplicate"), icon: Copy, run: () => editing.duplicate(id) },
          { label: t("builder.invert"), icon: Replace, run: () => editing.invert(id) },
        ]}
      />
      <Button
        kind="quiet"
        size="sm"
        icon={X}
        aria-label={t("builder.removeOf", { rule: words })}
        onClick={() => editing.remove(id)}
      />
    </div>
  );
}

type SubjectProps = { condition: Condition; editing: Editing; isBad: boolean };

function Subject({ condition: { id, field, op, value }, editing, isBad }: SubjectProps) {
  const { t } = useTranslation();
  const { fields } = editing.say.names;
  const isGone = !isBuiltIn(field) && !ownFieldOf(field, fields);
  const choose = (next: string) => {
    const [before, kind] = [kindOf(field, fields), kindOf(next, fields)];
    if (!kind) return;
    const ops: readonly string[] = OPS[kind];
    const newOp = ops.includes(op) ? op : (ops[0] ?? op);
    const shape = shapeOf(kind, newOp);
    const isAlike = before !== undefined && shapeOf(before, op) === shape && before === kind;
    editing.change(id, {
      field: next,
      op: newOp,
      value: isAlike ? value : firstValue(shape),
      machines: false,
    });
  };
  return (
    <select
      className="input input-sm rule-subject"
      data-subject
      aria-label={t("builder.subject")}
      aria-invalid={isBad || undefined}
      data-invalid={isBad || undefined}
      value={field}
      onChange={({ target }) => choose(target.value)}
    >
      {isGone && <option value={field}>{t("builder.goneField")}</option>}
      {(Object.keys(SUBJECTS) as SubjectGroup[]).map((group) => (
        <optgroup key={group} label={t(`builder.about.${group}`)}>
          {Object.keys(SUBJECTS[group]).map((name) => (
            <option key={name} value={name}>
              {t(`builder.of.${name as "email"}`)}
            </option>
          ))}
        </optgroup>
      ))}
      {fields.length > 0 && (
        <optgroup label={t("builder.about.fields")}>
          {fields.map(({ key, name }) => (
            <option key={key} value={`fields.${key}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}
