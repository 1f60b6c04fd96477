/** Who gets to see a block, and whether it is repeated. What isn't whole yet isn't in the mail. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Checkbox, SelectField } from "../../../../../../kit/forms/field.tsx";
import type { Variable } from "../../../fields/variables.ts";
import { LIQUID_TEXT, VARIABLE } from "../../document/rules.ts";
import type { Condition, Repeat } from "../../document/types.ts";
import { CheckedField, NumberField } from "./fields.tsx";

const WAYS = ["everybody", "tag", "notTag", "equal", "not_equal", "set", "not_set"] as const;
type Way = (typeof WAYS)[number];

type Props = {
  value: Condition | null;
  variables: readonly Variable[];
  set: (condition: Condition | null) => void;
};

export function ShownTo({ value, variables, set }: Props) {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>(wayOf(value));
  const [tag, setTag] = useState(value?.type === "tag" ? value.tag : "");
  const [name, setName] = useState(value?.type === "variable" ? value.name : "first_name");
  const [text, setText] = useState(value?.type === "variable" ? (value.value ?? "") : "");
  const tell = (next: { way?: Way; tag?: string; name?: string; text?: string }) => {
    const condition = conditionOf({ way, tag, name, text, ...next });
    if (condition !== undefined) set(condition);
  };
  const textFault = (typed: string) =>
    LIQUID_TEXT.test(typed) && typed.length <= 200 ? undefined : t("blocksEditor.settings.textFault");
  const isTag = way === "tag" || way === "notTag";
  const isVariable = !isTag && way !== "everybody";
  return (
    <>
      <SelectField
        name="shown"
        label={t("blocksEditor.settings.shown")}
        value={way}
        onChange={(event) => {
          const next = WAYS.find((one) => one === event.target.value) ?? "everybody";
          setWay(next);
          tell({ way: next });
        }}
        options={WAYS.map((one) => ({ value: one, label: t(`blocksEditor.settings.${one}`) }))}
      />
      {isTag && (
        <CheckedField
          name="tag"
          label={t("blocksEditor.settings.tagName")}
          value={tag}
          check={textFault}
          set={(typed) => {
            setTag(typed);
            tell({ tag: typed });
          }}
        />
      )}
      {isVariable && (
        <SelectField
          name="field"
          label={t("blocksEditor.settings.field")}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            tell({ name: event.target.value });
          }}
          options={fieldsOf(variables, name).map((one) => ({ value: one, label: one }))}
        />
      )}
      {(way === "equal" || way === "not_equal") && (
        <CheckedField
          name="value"
          label={t("blocksEditor.settings.value")}
          value={text}
          check={textFault}
          set={(typed) => {
            setText(typed);
            tell({ text: typed });
          }}
        />
      )}
    </>
  );
}

function fieldsOf(variables: readonly Variable[], now: string): string[] {
  const known = variables.map(({ name }) => name).filter((name) => VARIABLE.test(name));
  return known.includes(now) ? known : [now, ...known];
}

function wayOf(condition: Condition | null): Way {
  if (!condition) return "everybody";
  if (condition.type === "tag") return condition.has ? "tag" : "notTag";
  return condition.is;
}

type Typed = { readonly way: Way; readonly tag: string; readonly name: string; readonly text: string };

/** Undefined while something is missing. */
function conditionOf({ way, tag, name, text }: Typed): Condition | null | undefined {
  if (way === "everybody") return null;
  if (way === "tag" || way === "notTag")
    return tag.trim() === "" ? undefined : { type: "tag", tag: tag.trim(), has: way === "tag" };
  if (!VARIABLE.test(name)) return undefined;
  if (way === "set" || way === "not_set") return { type: "variable", name, is: way };
  return { type: "variable", name, is: way, value: text };
}

export function RepeatField({ value, set }: { value: Repeat | null; set: (repeat: Repeat | null) => void }) {
  const { t } = useTranslation();
  const [isOn, setOn] = useState(value !== null);
  return (
    <>
      <Checkbox
        label={t("blocksEditor.settings.repeat")}
        checked={isOn}
        onChange={(event) => {
          setOn(event.target.checked);
          if (!event.target.checked) set(null);
        }}
      />
      {isOn && (
        <>
          <CheckedField
            name="over"
            label={t("blocksEditor.settings.over")}
            hint={t("blocksEditor.settings.overHint")}
            value={value?.over ?? ""}
            check={(text) => (VARIABLE.test(text) ? undefined : t("blocksEditor.settings.fieldFault"))}
            set={(over) => set({ ...value, over })}
          />
          {value && (
            <NumberField
              name="most"
              label={t("blocksEditor.settings.most")}
              value={value.most ?? 20}
              least={1}
              most={100}
              set={(most) => set({ ...value, most: most ?? 20 })}
            />
          )}
        </>
      )}
    </>
  );
}
