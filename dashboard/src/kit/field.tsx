/** Fields of forms: label above, hint below, and the fault of that name tied to it. */
import { Field } from "@base-ui/react/field";
import { CircleAlert } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

type Common = {
  /** The name in the body that is sent, so that a fault's pointer leads here. */
  name: string;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
  /** Stands at the end of the label's line. */
  aside?: ReactNode;
};

function Frame({ name, label, hint, optional, aside, children }: Common & { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Field.Root name={name} className="field">
      <div className="row between">
        <Field.Label className="flabel">
          {label}
          {optional && <span className="dim"> {t("form.optional")}</span>}
        </Field.Label>
        {aside}
      </div>
      {children}
      {hint && <Field.Description className="hint">{hint}</Field.Description>}
      <Field.Error
        className="err"
        render={({ children: fault, ...props }) => (
          <div {...props}>
            <Icon of={CircleAlert} size="sm" />
            <span>{fault}</span>
          </div>
        )}
      />
    </Field.Root>
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
  size = "md",
  ...input
}: Common & { size?: Size } & Omit<ComponentProps<"input">, "size" | "name">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional} aside={aside}>
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
  ...input
}: Common & Omit<ComponentProps<"textarea">, "name">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional}>
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
  options,
  size = "md",
  ...select
}: Common & { options: readonly Option[]; size?: Size } & Omit<ComponentProps<"select">, "name" | "size">) {
  return (
    <Frame name={name} label={label} hint={hint} optional={optional}>
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
