/** What is edited of a step, by its type. */
import { useTranslation } from "react-i18next";
import { TextField } from "../../../kit/forms/field.tsx";
import { textIn, typeOf } from "../graph/draft.ts";
import {
  FieldStepFields,
  GoalFields,
  ListStepFields,
  NotifyFields,
  TagStepFields,
  WebhookFields,
} from "./deed-fields.tsx";
import { EmailFields } from "./email-fields.tsx";
import type { PartProps } from "./step-props.ts";
import { useStep } from "./use-part.ts";
import { WaitFields, WaitForFields } from "./wait-fields.tsx";
import { WaysFields } from "./ways-fields.tsx";

export function StepFields({ id }: { id: string }) {
  const { t } = useTranslation();
  const part = useStep(id);
  const { value, set, faultOf, name } = part;
  return (
    <div className="stack-4">
      <OwnFields part={part} id={id} />
      <TextField
        name={`${name}-title`}
        label={t("step.title")}
        hint={t("step.titleHint")}
        optional
        value={textIn(value["title"])}
        fault={faultOf("title")}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => set({ title: target.value || undefined }, "title")}
      />
    </div>
  );
}

function OwnFields({ part, id }: { part: PartProps; id: string }) {
  const { t } = useTranslation();
  switch (typeOf(part.value)) {
    case "email":
      return <EmailFields part={part} id={id} />;
    case "wait":
      return <WaitFields part={part} />;
    case "wait_for":
      return <WaitForFields part={part} id={id} />;
    case "branch":
    case "split":
      return <WaysFields part={part} id={id} />;
    case "goal":
      return <GoalFields part={part} />;
    case "tag":
      return <TagStepFields part={part} />;
    case "field":
      return <FieldStepFields part={part} />;
    case "list":
      return <ListStepFields part={part} />;
    case "notify":
      return <NotifyFields part={part} />;
    case "webhook":
      return <WebhookFields part={part} />;
    case "unsubscribe":
      return <p className="sm mid">{t("step.fields.unsubscribe")}</p>;
    case "end":
      return <p className="sm mid">{t("step.fields.end")}</p>;
    case undefined:
      return null;
  }
}
