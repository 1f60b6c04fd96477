/** What brings people in, or ends a wait: one trigger, and a list of them. */
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { CampaignChooser } from "../../segments/builder/campaign-chooser.tsx";
import { useTags } from "../../subscribers/reference-data.ts";
import { useEditing } from "../editor/editing.ts";
import { useSegments } from "../editor/use-names.ts";
import { sayStep, sayTrigger } from "../graph/describe.ts";
import { type Json, textIn } from "../graph/draft.ts";
import { EventFields } from "./event-fields.tsx";
import { FieldChoice, HourField, NumberField } from "./small-fields.tsx";
import type { PartProps } from "./step-props.ts";
import { partsAt } from "./use-part.ts";

const TYPES = [
  "list_joined",
  "tag_added",
  "tag_removed",
  "field_changed",
  "date",
  "segment_entered",
  "segment_left",
  "email_opened",
  "email_clicked",
  "event",
  "manual",
] as const;
type Type = (typeof TYPES)[number];
/** These happen to nobody who is in the automation already. */
const ENTRY_ONLY: readonly Type[] = ["list_joined", "date", "manual"];
const MOST = { entry: 10, wait: 5 };

/** A trigger of a type, with what it can be without asking. */
const FRESH: Readonly<Partial<Record<Type, Json>>> = {
  date: { offset_days: 0, repeat: "yearly", at: "09:00" },
};

type ListProps = {
  outer: Omit<PartProps, "value">;
  triggers: readonly Json[];
  of: "entry" | "wait";
  listName?: string | undefined;
};

export function TriggerList({ outer, triggers, of, listName }: ListProps) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const parts = partsAt(outer, "on", triggers);
  const write = (next: readonly Json[]) =>
    outer.set({ on: next.length > 0 || of === "entry" ? next : undefined });
  return (
    <div className="stack">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no names, and stay in their order.
        <div key={at} className="draft-part">
          <TriggerFields part={part} of={of} />
          <Button
            kind="quiet"
            size="sm"
            icon={X}
            aria-label={t("step.trigger.remove", { trigger: sayTrigger(graph, part.value, say, listName) })}
            onClick={() => write(triggers.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {outer.faultOf("on") && <div className="err">{outer.faultOf("on")}</div>}
      {triggers.length < MOST[of] && (
        <div>
          <Button
            size="sm"
            icon={Plus}
            onClick={() => write([...triggers, of === "entry" ? { type: "list_joined" } : { type: "event" }])}
          >
            {of === "entry" ? t("step.trigger.add") : t("step.trigger.addListen")}
          </Button>
        </div>
      )}
    </div>
  );
}

function TriggerFields({ part, of }: { part: PartProps; of: "entry" | "wait" }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  const type = TYPES.find((one) => one === value["type"]);
  const types = TYPES.filter((one) => one === type || of === "entry" || !ENTRY_ONLY.includes(one));
  return (
    <div className="stack grow">
      <SelectField
        name={`${name}-type`}
        label={t("step.trigger.type")}
        value={type ?? ""}
        fault={faultOf("type")}
        options={[
          ...(type === undefined || !types.includes(type)
            ? [{ value: type ?? "", label: textIn(value["type"]) }]
            : []),
          ...types.map((one) => ({ value: one, label: t(`step.trigger.types.${one}`) })),
        ]}
        onChange={({ target }) => {
          const gone = Object.fromEntries(Object.keys(value).map((key) => [key, undefined]));
          set({ ...gone, ...FRESH[target.value as Type], type: target.value });
        }}
      />
      {type && <TypeFields type={type} part={part} />}
    </div>
  );
}

function TypeFields({ type, part }: { type: Type; part: PartProps }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  switch (type) {
    case "list_joined":
    case "manual":
      return null;
    case "tag_added":
    case "tag_removed":
      return <TagField part={part} />;
    case "field_changed":
      return (
        <FieldChoice
          name={`${name}-field`}
          label={t("step.fields.field")}
          value={value["field"]}
          fault={faultOf("field")}
          onChange={(field) => set({ field })}
        />
      );
    case "date":
      return (
        <div className="two">
          <FieldChoice
            name={`${name}-field`}
            label={t("step.fields.dateField")}
            value={value["field"]}
            fault={faultOf("field")}
            isDate
            onChange={(field) => set({ field })}
          />
          <NumberField
            name={`${name}-offset`}
            label={t("step.fields.offset")}
            hint={t("step.fields.offsetHint")}
            value={value["offset_days"]}
            fault={faultOf("offset_days")}
            onChange={(offset_days) => set({ offset_days }, "offset")}
          />
          <SelectField
            name={`${name}-repeat`}
            label={t("step.trigger.repeat")}
            value={textIn(value["repeat"])}
            fault={faultOf("repeat")}
            options={(["yearly", "once"] as const).map((one) => ({
              value: one,
              label: t(`step.trigger.${one}`),
            }))}
            onChange={({ target }) => set({ repeat: target.value })}
          />
          <HourField
            name={`${name}-at`}
            label={t("step.fields.at")}
            value={value["at"]}
            fault={faultOf("at")}
            onChange={(at) => set({ at }, "at")}
          />
        </div>
      );
    case "segment_entered":
    case "segment_left":
      return (
        <SegmentChoice
          name={`${name}-segment`}
          value={value["segment_id"]}
          fault={faultOf("segment_id")}
          onChange={(segment_id) => set({ segment_id })}
        />
      );
    case "email_opened":
    case "email_clicked":
      return <MailChoice part={part} isOpen={type === "email_opened"} />;
    case "event":
      return <EventFields part={part} nameKey="name" />;
  }
}

export function TagField({ part: { value, set, faultOf, name } }: { part: PartProps }) {
  const { t } = useTranslation();
  const tags = useTags();
  return (
    <>
      <TextField
        name={`${name}-tag`}
        label={t("step.trigger.tag")}
        value={textIn(value["tag"])}
        fault={faultOf("tag")}
        list={`${name}-tags`}
        maxLength={64}
        autoComplete="off"
        onChange={({ target }) => set({ tag: target.value }, "tag")}
      />
      <datalist id={`${name}-tags`}>
        {tags.map(({ name: tag }) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  );
}

type SegmentProps = {
  name: string;
  value: unknown;
  fault: string | undefined;
  onChange: (id: string | undefined) => void;
};

export function SegmentChoice({ name, value, fault, onChange }: SegmentProps) {
  const { t } = useTranslation();
  const segments = useSegments();
  const id = textIn(value);
  return (
    <SelectField
      name={name}
      label={t("step.trigger.segment")}
      value={id}
      fault={fault}
      options={[
        { value: "", label: t("step.trigger.chooseSegment") },
        ...(id !== "" && !segments.some((one) => one.id === id)
          ? [{ value: id, label: t("step.trigger.goneSegment") }]
          : []),
        ...segments.map((one) => ({ value: one.id, label: one.name })),
      ]}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

/** Any mail, that of a step, or that of a campaign. */
export function MailChoice({
  part: { value, set, faultOf, name },
  isOpen,
}: {
  part: PartProps;
  isOpen: boolean;
}) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const node = textIn(value["node"]);
  const isCampaign = value["campaign_id"] !== undefined;
  const mails = Object.keys(graph.nodes).filter((id) => graph.nodes[id]?.["type"] === "email");
  const chosen = isCampaign ? CAMPAIGN : node === "" ? "" : `step:${node}`;
  const options = [
    { value: "", label: t("step.trigger.mailAny") },
    ...mails.map((id) => ({
      value: `step:${id}`,
      label: t("step.trigger.mailStep", { step: sayStep(graph, id, say) }),
    })),
    { value: CAMPAIGN, label: t("step.trigger.mailCampaign") },
  ];
  const campaignId = textIn(value["campaign_id"]) || undefined;
  return (
    <>
      <SelectField
        name={`${name}-mail`}
        label={t("step.trigger.mail")}
        value={chosen}
        fault={faultOf("node")}
        options={
          options.some((one) => one.value === chosen) ? options : [...options, { value: chosen, label: node }]
        }
        onChange={({ target }) => {
          const step = target.value.startsWith("step:") ? target.value.slice("step:".length) : undefined;
          set({ node: step, campaign_id: target.value === CAMPAIGN ? "" : undefined });
        }}
      />
      {isCampaign && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend can't be laid out like a label.
        <div className="field" role="group" aria-label={t("step.trigger.campaign")}>
          <CampaignChooser
            id={campaignId}
            name={campaignId && say.names.byId[campaignId]}
            isBad={faultOf("campaign_id") !== undefined}
            onChoose={({ id }) => set({ campaign_id: id })}
          />
          {faultOf("campaign_id") && <div className="err">{faultOf("campaign_id")}</div>}
        </div>
      )}
      {isOpen && <p className="note info">{t("step.fields.unseen")}</p>}
    </>
  );
}

const CAMPAIGN = "campaign";
