/** Who enters, who leaves early, and when mail may leave. */
import { Clock, LogIn, LogOut, Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Checkbox, SelectField, TextField } from "../../../kit/forms/field.tsx";
import { sayDays, sayExit, sayRule, sayTrigger } from "../graph/describe.ts";
import { cleaned, isJson, type Json, jsonIn, listIn, textIn } from "../graph/draft.ts";
import { EventFields } from "../steps/event-fields.tsx";
import { RuleField } from "../steps/rule-field.tsx";
import { HourField, NumberField, WeekdaysField } from "../steps/small-fields.tsx";
import type { PartProps } from "../steps/step-props.ts";
import { MailChoice, SegmentChoice, TriggerList } from "../steps/trigger-fields.tsx";
import { partAt, useSection } from "../steps/use-part.ts";
import { useEditing } from "./editing.ts";
import { SectionItem } from "./section-item.tsx";

const MODES = ["once", "after", "every_time"] as const;

export function EntryItem() {
  const { t } = useTranslation();
  const { graph, listId, say } = useEditing();
  const section = useSection("entry");
  const entry = jsonIn(section.value);
  const part: PartProps = {
    value: entry,
    set: (patch, kind) => section.write(cleaned({ ...entry, ...patch }), kind),
    faultOf: section.faultOf,
    name: "entry",
  };
  const list = say.names.byId[listId];
  const triggers = listIn(entry["on"]);
  const reentry = partAt(
    part,
    "reentry",
    isJson(entry["reentry"]) ? entry["reentry"] : { mode: "once" },
    (next) => ({
      reentry: next,
    }),
  );
  const mode = MODES.find((one) => one === reentry.value["mode"]) ?? "once";
  const days = Number(reentry.value["days"]) || 0;
  const rule = sayRule(entry["filter"], say);
  const says = [
    triggers.map((one) => sayTrigger(graph, one, say, list)).join(" / ") || t("step.trigger.says.nothing"),
    [
      ...(rule === undefined ? [] : [t("step.entry.says.filter", { rule })]),
      mode === "after"
        ? t("step.entry.says.after", { count: days, number: say.formatNumber(days) })
        : t(`step.entry.says.${mode}`),
      ...(textIn(entry["key"]) === "" ? [] : [t("step.entry.says.key", { key: textIn(entry["key"]) })]),
    ].join(" "),
  ];
  return (
    <SectionItem place="entry" icon={LogIn} title={t("automations.outline.entry")} says={says}>
      <div className="stack-4">
        <div className="stack">
          <span className="flabel">{t("step.entry.triggers")}</span>
          <TriggerList outer={part} triggers={triggers} of="entry" listName={list} />
        </div>
        <RuleField
          label={t("step.entry.filter")}
          none={t("step.entry.filterNone")}
          value={entry["filter"]}
          place="entry"
          part="filter"
          onChange={(filter) => part.set({ filter }, "filter")}
        />
        <div className="two">
          <SelectField
            name="entry-reentry"
            label={t("step.entry.reentry")}
            value={mode}
            fault={reentry.faultOf("mode")}
            options={MODES.map((one) => ({ value: one, label: t(`step.entry.reentries.${one}`) }))}
            onChange={({ target }) =>
              reentry.set({
                mode: target.value,
                days: target.value === "after" ? (reentry.value["days"] ?? 30) : undefined,
              })
            }
          />
          {mode === "after" && (
            <NumberField
              name="entry-days"
              label={t("step.entry.days")}
              value={reentry.value["days"]}
              fault={reentry.faultOf("days")}
              onChange={(next) => reentry.set({ days: next }, "days")}
            />
          )}
        </div>
        <TextField
          name="entry-key"
          label={t("step.entry.key")}
          hint={t("step.entry.keyHint")}
          optional
          value={textIn(entry["key"])}
          fault={section.faultOf("key")}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => part.set({ key: target.value || undefined }, "key")}
        />
      </div>
    </SectionItem>
  );
}

/** The ways to leave, each with what a new one has. */
const FRESH_EXITS = {
  event: { event: "" },
  email_opened: { on: { type: "email_opened" } },
  email_clicked: { on: { type: "email_clicked" } },
  rule: { rule: null },
  segment: { leaves_segment_id: "" },
} as const;
type Kind = keyof typeof FRESH_EXITS;
const MOST_EXITS = 10;

function kindOf(exit: Json): Kind {
  if ("rule" in exit) return "rule";
  if ("leaves_segment_id" in exit) return "segment";
  if (!("on" in exit)) return "event";
  return jsonIn(exit["on"])["type"] === "email_opened" ? "email_opened" : "email_clicked";
}

export function ExitsItem() {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const section = useSection("exit");
  const exits = listIn(section.value);
  const write = (next: readonly Json[], kind?: string) =>
    section.write(next.length > 0 ? next : undefined, kind);
  const says = exits.length > 0 ? exits.map((one) => sayExit(graph, one, say)) : [t("step.exits.says.none")];
  return (
    <SectionItem place="exit" icon={LogOut} title={t("automations.outline.exits")} says={[...new Set(says)]}>
      <div className="stack">
        <p className="sm mid">{t("step.exits.always")}</p>
        {exits.map((exit, at) => {
          const part: PartProps = {
            value: exit,
            set: (patch, kind) =>
              write(
                exits.map((one, index) => (index === at ? cleaned({ ...one, ...patch }) : one)),
                kind && `${at} ${kind}`,
              ),
            faultOf: (of) => section.faultOf(of === "" ? String(at) : `${at}/${of}`),
            name: `exit-${at}`,
          };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: exits have no names, and stay in their order.
            <div key={at} className="draft-part">
              <ExitFields part={part} at={at} />
              <Button
                kind="quiet"
                size="sm"
                icon={X}
                aria-label={t("step.exits.remove", { exit: sayExit(graph, exit, say) })}
                onClick={() => write(exits.filter((_, index) => index !== at))}
              />
            </div>
          );
        })}
        {exits.length < MOST_EXITS && (
          <div>
            <Button size="sm" icon={Plus} onClick={() => write([...exits, { event: "", as: "goal" }])}>
              {t("step.exits.add")}
            </Button>
          </div>
        )}
      </div>
    </SectionItem>
  );
}

function ExitFields({ part, at }: { part: PartProps; at: number }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  const kind = kindOf(value);
  return (
    <div className="stack grow">
      <div className="two">
        <SelectField
          name={`${name}-kind`}
          label={t("step.exits.kind")}
          value={kind}
          fault={faultOf("")}
          options={(Object.keys(FRESH_EXITS) as Kind[]).map((one) => ({
            value: one,
            label: t(`step.exits.kinds.${one}`),
          }))}
          onChange={({ target }) => {
            const gone = Object.fromEntries(Object.keys(value).map((key) => [key, undefined]));
            set({ ...gone, as: value["as"], ...FRESH_EXITS[target.value as Kind] });
          }}
        />
        <SelectField
          name={`${name}-as`}
          label={t("step.exits.as")}
          value={value["as"] === "goal" ? "goal" : "exit"}
          options={(["goal", "exit"] as const).map((one) => ({ value: one, label: t(`step.exits.${one}`) }))}
          onChange={({ target }) => set({ as: target.value })}
        />
      </div>
      {kind === "event" && <EventFields part={part} nameKey="event" />}
      {(kind === "email_opened" || kind === "email_clicked") && (
        <MailChoice
          part={partAt(part, "on", jsonIn(value["on"]), (on) => ({ on }))}
          isOpen={kind === "email_opened"}
        />
      )}
      {kind === "rule" && (
        <RuleField
          label={t("step.fields.rule")}
          value={value["rule"]}
          place="exit"
          part={`${at}/rule`}
          onChange={(rule) => set({ rule: rule ?? null }, "rule")}
        />
      )}
      {kind === "segment" && (
        <SegmentChoice
          name={`${name}-segment`}
          value={value["leaves_segment_id"]}
          fault={faultOf("leaves_segment_id")}
          onChange={(id) => set({ leaves_segment_id: id ?? "" })}
        />
      )}
    </div>
  );
}

const FRESH = { window: { from: "08:00", to: "20:00" }, quiet: { from: "22:00", to: "07:00" } };

export function SendItem() {
  const { t } = useTranslation();
  const { say } = useEditing();
  const section = useSection("send");
  const send = jsonIn(section.value);
  const set = (patch: Json, kind?: string) => {
    const next = cleaned({ ...send, ...patch });
    section.write(Object.keys(next).length > 0 ? next : undefined, kind);
  };
  const hours = (key: "window" | "quiet") => {
    const { from, to } = jsonIn(send[key]);
    return { from: textIn(from), to: textIn(to) };
  };
  const days = sayDays(send["weekdays"], say);
  const parts = [
    ...(send["window"] ? [t("step.send.says.window", hours("window"))] : []),
    ...(send["quiet"] ? [t("step.send.says.quiet", hours("quiet"))] : []),
    ...(days === undefined ? [] : [t("step.send.says.days", { days })]),
  ];
  return (
    <SectionItem
      place="send"
      icon={Clock}
      title={t("automations.outline.send")}
      says={[parts.join(", ") || t("step.send.says.any")]}
    >
      <div className="stack-4">
        <p className="sm mid">{t("step.send.hint")}</p>
        {(["window", "quiet"] as const).map((key) => (
          <div key={key} className="stack">
            <Checkbox
              label={t(`step.send.${key}`)}
              checked={send[key] !== undefined}
              onChange={({ target }) => set({ [key]: target.checked ? FRESH[key] : undefined })}
            />
            {send[key] !== undefined && (
              <div className="two">
                {(["from", "to"] as const).map((end) => (
                  <HourField
                    key={end}
                    name={`send-${key}-${end}`}
                    label={t(`step.send.${end}`)}
                    value={hours(key)[end]}
                    fault={section.faultOf(`${key}/${end}`)}
                    onChange={(hour) =>
                      set({ [key]: cleaned({ ...jsonIn(send[key]), [end]: hour }) }, key + end)
                    }
                  />
                ))}
              </div>
            )}
          </div>
        ))}
        <WeekdaysField
          label={t("step.send.weekdays")}
          hint={t("step.fields.weekdaysHint")}
          value={send["weekdays"]}
          onChange={(weekdays) => set({ weekdays })}
        />
      </div>
    </SectionItem>
  );
}
