/** What happens to the person on the way. */
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { useEditing } from "../editor/editing.ts";
import { sayStep } from "../graph/describe.ts";

const TYPES = ["event", "email_opened", "email_clicked"] as const;

export type Happening = {
  readonly type: (typeof TYPES)[number];
  /** As the browser's field has it, by the clock of whoever sits before it. */
  readonly at: string;
  readonly name?: string;
  readonly node?: string;
};

type Props = { happenings: readonly Happening[]; onChange: (next: readonly Happening[]) => void };

export function Happenings({ happenings, onChange }: Props) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const mails = Object.keys(graph.nodes).filter((id) => graph.nodes[id]?.["type"] === "email");
  const replace = (at: number, next: Happening) =>
    onChange(happenings.map((one, index) => (index === at ? next : one)));
  return (
    <fieldset className="stack">
      <legend className="flabel">{t("simulate.events")}</legend>
      {happenings.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and stay in their order.
        <div key={at} className="draft-part">
          <div className="stack grow">
            <SelectField
              name={`happening-type-${at}`}
              label={t("simulate.eventType")}
              value={one.type}
              options={TYPES.map((type) => ({ value: type, label: t(`simulate.eventTypes.${type}`) }))}
              onChange={({ target }) => replace(at, { type: target.value as Happening["type"], at: one.at })}
            />
            <div className="two">
              {one.type === "event" ? (
                <TextField
                  name={`happening-name-${at}`}
                  label={t("simulate.eventName")}
                  value={one.name ?? ""}
                  maxLength={100}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => replace(at, { ...one, name: target.value })}
                />
              ) : (
                <SelectField
                  name={`happening-node-${at}`}
                  label={t("simulate.eventStep")}
                  value={one.node ?? ""}
                  options={[
                    { value: "", label: t("simulate.anyMail") },
                    ...mails.map((id) => ({ value: id, label: sayStep(graph, id, say) })),
                  ]}
                  onChange={({ target }) =>
                    replace(at, { type: one.type, at: one.at, ...(target.value && { node: target.value }) })
                  }
                />
              )}
              <TextField
                name={`happening-at-${at}`}
                label={t("simulate.eventAt")}
                type="datetime-local"
                value={one.at}
                onChange={({ target }) => replace(at, { ...one, at: target.value })}
              />
            </div>
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
        <Button size="sm" icon={Plus} onClick={() => onChange([...happenings, { type: "event", at: "" }])}>
          {t("simulate.addEvent")}
        </Button>
      </div>
    </fieldset>
  );
}
