/** What happens to the person on the way. */
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import type { Json } from "../graph/draft.ts";
import { FieldStepFields } from "../steps/deed-fields.tsx";
import { EventFields } from "../steps/event-fields.tsx";
import type { PartProps } from "../steps/step-props.ts";
import { MailChoice, TagField } from "../steps/trigger-fields.tsx";

const TYPES = [
  "event",
  "email_opened",
  "email_clicked",
  "tag_added",
  "tag_removed",
  "field_changed",
] as const;

export type Happening = {
  /** Tells it from the others, as long as the drawer is open. */
  readonly key: number;
  readonly type: (typeof TYPES)[number];
  /** As the browser's field has it, by the clock of whoever sits before it. */
  readonly at: string;
  /** The rest of it, as a trigger or a step has it that is about the same. */
  readonly value: Json;
};

/** As the service has it. */
export function asEvent({ type, at, value: { where, ...rest } }: Happening) {
  return { ...rest, type, at: new Date(at).toISOString(), ...(where !== undefined && { properties: where }) };
}

type Props = {
  happenings: readonly Happening[];
  /** What is wrong with a part of one of them. */
  faultOf: (at: number, part: string) => string | undefined;
  onChange: (next: readonly Happening[]) => void;
};

export function Happenings({ happenings, faultOf, onChange }: Props) {
  const { t } = useTranslation();
  const replace = (at: number, next: Happening) =>
    onChange(happenings.map((one, index) => (index === at ? next : one)));
  const nextKey = Math.max(0, ...happenings.map(({ key }) => key)) + 1;
  return (
    <fieldset className="stack">
      <legend className="flabel">{t("simulate.events")}</legend>
      {happenings.map((one, at) => (
        <div key={one.key} className="draft-part">
          <div className="stack grow">
            <SelectField
              name={`happening-type-${one.key}`}
              label={t("simulate.eventType")}
              value={one.type}
              options={TYPES.map((type) => ({ value: type, label: t(`simulate.eventTypes.${type}`) }))}
              onChange={({ target }) =>
                replace(at, { ...one, type: target.value as Happening["type"], value: {} })
              }
            />
            <TextField
              name={`happening-at-${one.key}`}
              label={t("simulate.eventAt")}
              type="datetime-local"
              value={one.at}
              fault={faultOf(at, "at")}
              onChange={({ target }) => replace(at, { ...one, at: target.value })}
            />
            <What
              key={one.type}
              type={one.type}
              part={{
                value: one.value,
                name: `happening-${one.key}`,
                faultOf: (part) => faultOf(at, part),
                set: (patch) => replace(at, { ...one, value: withPatch(one.value, patch) }),
              }}
            />
          </div>
          <Button
            kind="quiet"
            size="sm"
            icon={X}
            aria-label={t("simulate.removeEvent")}
            onClick={() => onChange(happenings.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          size="sm"
          icon={Plus}
          onClick={() => onChange([...happenings, { key: nextKey, type: "event", at: "", value: {} }])}
        >
          {t("simulate.addEvent")}
        </Button>
      </div>
    </fieldset>
  );
}

const withPatch = (value: Json, patch: Json): Json =>
  Object.fromEntries(Object.entries({ ...value, ...patch }).filter(([, one]) => one !== undefined));

function What({ type, part }: { type: Happening["type"]; part: PartProps }) {
  const { t } = useTranslation();
  switch (type) {
    case "event":
      return <EventFields part={part} nameKey="name" propertiesLabel={t("simulate.properties")} />;
    case "email_opened":
    case "email_clicked":
      return <MailChoice part={part} isOpen={false} />;
    case "tag_added":
    case "tag_removed":
      return <TagField part={part} />;
    case "field_changed":
      return <FieldStepFields part={part} />;
  }
}
