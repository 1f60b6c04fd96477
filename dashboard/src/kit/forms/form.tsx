/** Forms send what was typed and put each fault of the answer to its field; nothing typed is lost on the way. */
import { Form as BaseForm } from "@base-ui/react/form";
import { type ReactNode, useRef, useState } from "react";
import { ApiError, asApiError, type Fault } from "../../api/problem.ts";
import { sentence } from "../sentence.ts";
import { FAULT_PLACE } from "./field.tsx";
import { ProblemNote } from "./problem-note.tsx";

export type Values = {
  /** The text, trimmed; empty where there is none. */
  text(name: string): string;
  /** The text, or null where it was left empty. */
  textOrNull(name: string): string | null;
  /** The text as it was typed, for passwords. */
  exactText(name: string): string;
  isChecked(name: string): boolean;
  all(name: string): readonly string[];
};

export function readValues(form: HTMLFormElement): Values {
  const data = new FormData(form);
  const exactText = (name: string) => String(data.get(name) ?? "");
  return {
    exactText,
    text: (name) => exactText(name).trim(),
    textOrNull: (name) => exactText(name).trim() || null,
    isChecked: (name) => data.get(name) !== null,
    all: (name) => data.getAll(name).map(String),
  };
}

type Refusal = {
  readonly byField: Readonly<Record<string, string>>;
  /** What no field says. */
  readonly noted?: ApiError;
};

/** `/fields/city` is the field named `fields.city`. */
function fieldOf(pointer: string | undefined): string {
  return (pointer ?? "").slice(1).replaceAll("/", ".");
}

function refusalOf(error: ApiError, form: HTMLFormElement): Refusal {
  const placed = error.faults.filter(({ pointer }) => hasPlaceFor(fieldOf(pointer), form));
  const rest = error.faults.filter((fault) => !placed.includes(fault));
  const isAllPlaced = placed.length > 0 && rest.length === 0;
  return {
    byField: Object.fromEntries(placed.map(({ pointer, detail }) => [fieldOf(pointer), sentence(detail)])),
    ...(!isAllPlaced && { noted: withFaults(error, rest) }),
  };
}

/** A checkbox or a hidden input has the name but no place to say a fault; then the note above the buttons says it. */
function hasPlaceFor(name: string, form: HTMLFormElement): boolean {
  return form.querySelector(`[${FAULT_PLACE}="${CSS.escape(name)}"]`) !== null;
}

function withFaults(error: ApiError, errors: readonly Fault[]): ApiError {
  return new ApiError({ ...error.members, detail: error.message, errors: [...errors] }, error.retryAfter);
}

export type FormProps = {
  /** Throws an ApiError where the answer is a refusal. */
  submit: (values: Values) => Promise<void>;
  /** Gets the refusal first; what it returns true for isn't shown by the form. */
  onRefused?: (error: ApiError) => boolean;
  /** A form with a button of its own places the note above it; without one the note comes last. */
  children: ReactNode | ((state: { busy: boolean; note: ReactNode }) => ReactNode);
  /** Something in it was typed or chosen. */
  onChange?: () => void;
  id?: string;
  className?: string;
};

export function Form({ submit, onRefused, onChange, children, id, className = "stack-4" }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const form = useRef<HTMLFormElement>(null);

  const send = async () => {
    if (!form.current || busy) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      await submit(readValues(form.current));
    } catch (thrown) {
      const error = asApiError(thrown);
      if (!onRefused?.(error) && form.current) setRefusal(refusalOf(error, form.current));
    } finally {
      setBusy(false);
    }
  };

  const note = refusal?.noted && <ProblemNote error={refusal.noted} />;
  return (
    <BaseForm
      ref={form}
      id={id}
      className={className}
      noValidate
      errors={refusal?.byField ?? NONE}
      onChange={onChange}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {typeof children === "function" ? children({ busy, note }) : children}
      {typeof children !== "function" && note}
    </BaseForm>
  );
}

const NONE: Record<string, string> = {};
