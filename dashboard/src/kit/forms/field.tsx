/** Fields of forms: label above, hint below, and the fault of that name tied to it. */
import { Field } from "@base-ui/react/field";
import { CircleAlert } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../icon.tsx";

type Common = {
  /** The name in the body that is sent, so that a fault's pointer leads here. */
  name: string;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
  /** Stands at the end of the label's line. */
  aside?: ReactNode;
  /** What is wrong with it, where the page knows it before anything is sent. */
  fault?: string | undefined;
};

/** The attribute by which a form sees that a fault of that name is said at its field. */
export const FAULT_PLACE = "data-fault-place";

function Frame({ name, label, hint, optional, aside, fault, children }: Common & { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Field.Root
      name={name}
      className="field"
      invalid={fault !== undefined || undefined}
      {...{ [FAULT_PLACE]: name }}
    >
      <div className="row between">
        <Field.Label className="flabel">
          {label}
          {optional && <span className="dim"> {t("form.optional")}</span>}
        </Field.Label>
        {aside}
      </div>
      {children}
      {hint && <Field.Description className="hint">{hint}</Field.Description>}
      <FaultLine fault={fault} />
    </Field.Root>
  );
}

/** The words of the page come before those of the answer. */
function FaultLine({ fault, always = true }: { fault: string | undefined; always?: boolean }) {
  return (
    <Field.Error
      className="err"
      {...(fault !== undefined && { children: fault, ...(always && { match: true }) })}
      render={({ children, ...props }) => (
        <div {...props}>
          <Icon of={CircleAlert} size="sm" />
          <span>{children}</span>
        </div>
      )}
    />
  );
}

/** Several boxes that are one field of what is sent. `faultText` is said in place of the answer's words. */
export function CheckboxGroup({
  name,
  legend,
  faultText,
  children,
}: {
  name: string;
  legend: string;
  faultText: string;
  children: ReactNode;
}) {
  return (
    <Field.Root
      name={name}
      className="stack"
      {...{ [FAULT_PLACE]: name }}
      render={(props) => (
        <fieldset {...(props as ComponentProps<"fieldset">)}>
          <legend className="flabel">{legend}</legend>
          {children}
          <FaultLine fault={faultText} always={false} />
        </fieldset>
      )}
    />
  );
}

/**
 * A browser would check an address by its own rules and in its own words, and then send nothing. The service checks it, by
 * the rules that count; the keyboard of a telephone is told what is typed.
 */
function plainTyping(type: string | undefined): ComponentProps<"input"> {
  if (type !== "email" && type !== "url") return {};
  return { type: "text", inputMode: type, autoCapitalize: "off", spellCheck: false };
}

type Size = "md" | "lg";
const inputClass = (size: Size) => (size === "lg" ? "input input-lg" : "input");

export function TextField({
  name,
  label,
  hint,
  optional = false,
  aside,
  fault,
  size = "md",
  ...input
}: Common & { size?: Size } & Omit<ComponentProps<"input">, "size" | "name">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional} aside={aside} fault={fault}>
      <Field.Control className={inputClass(size)} {...input} {...plainTyping(input.type)} />
    </Frame>
  );
}

/** A password can be looked at while it is typed. */
export function PasswordField({
  size = "lg",
  ...rest
}: Omit<ComponentProps<typeof TextField>, "type" | "aside">) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      {...rest}
      size={size}
      type={isShown ? "text" : "password"}
      aside={
        <button
          type="button"
          className="text-button"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t("form.hidePassword") : t("form.showPassword")}
        </button>
      }
    />
  );
}

export function TextArea({
  name,
  label,
  hint,
  optional = false,
  fault,
  ...input
}: Common & Omit<ComponentProps<"textarea">, "name">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional} fault={fault}>
      <Field.Control
        className="input"
        render={<textarea rows={3} {...input} />}
        defaultValue={input.defaultValue as string}
      />
    </Frame>
  );
}

export type Option = { readonly value: string; readonly label: string };

/** The browser's own select: every platform has a good one, and it costs nothing. */
export function SelectField({
  name,
  label,
  hint,
  optional = false,
  fault,
  options,
  size = "md",
  ...select
}: Common & { options: readonly Option[]; size?: Size } & Omit<ComponentProps<"select">, "name" | "size">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional} fault={fault}>
      <Field.Control
        className={inputClass(size)}
        defaultValue={select.defaultValue as string}
        render={
          <select {...select}>
            {options.map(({ value, label: text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        }
      />
    </Frame>
  );
}

export function Checkbox({
  label,
  hint,
  ...input
}: { label: string; hint?: string } & Omit<ComponentProps<"input">, "type">) {
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint && <span className="hint">{hint}</span>}
      </span>
    </label>
  );
}
