import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsAsked } from "../../api/confirmation.ts";
import { useConnection } from "../../api/connection.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { Button } from "../button.tsx";
import { TextField } from "../forms/field.tsx";
import { Form, type FormProps } from "../forms/form.tsx";
import { ProblemNote } from "../forms/problem-note.tsx";

type DialogProps = {
  title: string;
  lead?: ReactNode;
  onClose: () => void;
  children?: ReactNode;
  footer: ReactNode;
  initialFocus?: RefObject<HTMLElement | null>;
  /** Where it must be answered, Escape and a click beside it don't close it. */
  mustAnswer?: boolean;
  /** What Escape and a click beside it do, where that isn't to close it. */
  onDismiss?: () => void;
  /** A dialog that stands over this one; Escape is for that one alone. */
  over?: ReactNode;
};

/** It is there while it is rendered: the page that wants it renders it. Focus returns to where it was. */
export function Dialog({ title, lead, onClose, onDismiss = onClose, children, ...rest }: DialogProps) {
  const { footer, initialFocus, mustAnswer, over } = rest;
  // Who must sign in again, or confirm, does it in a dialog above all others, and those don't hear Escape meanwhile.
  const { isSignedOut } = useConnection();
  const isAsked = useIsAsked();
  return (
    <BaseDialog.Root
      open
      disablePointerDismissal={mustAnswer ?? false}
      onOpenChange={(_open, details) => {
        if ((mustAnswer || isSignedOut || isAsked) && details.reason === "escape-key") return;
        onDismiss();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim-cover" />
        <BaseDialog.Viewport className="scrim-holder">
          <BaseDialog.Popup className="dialog" {...(initialFocus && { initialFocus })}>
            <div className="dialog-b">
              <div className="stack tight">
                <BaseDialog.Title className="dialog-t">{title}</BaseDialog.Title>
                {lead && <BaseDialog.Description className="mid">{lead}</BaseDialog.Description>}
              </div>
              {children}
            </div>
            <div className="dialog-f">{footer}</div>
            {over}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

type FormDialogProps = Omit<DialogProps, "footer" | "children" | "onDismiss"> &
  Omit<FormProps, "id" | "onChange"> & {
    /** The verb on the button. */
    action: string;
  };

/** A form in a dialog, whose button stands in the dialog's foot. What was typed goes only when the person says so. */
export function FormDialog({ action, submit, onRefused, children, className, ...dialog }: FormDialogProps) {
  const { onClose, over } = dialog;
  const { t } = useTranslation();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const send: FormProps["submit"] = async (values) => {
    setBusy(true);
    try {
      await submit(values);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      {...dialog}
      onDismiss={() => (isTyped ? setAsked(true) : onClose())}
      over={isAsked ? <DiscardDialog discard={onClose} onClose={() => setAsked(false)} /> : over}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" type="submit" form={id} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        submit={send}
        onChange={() => setTyped(true)}
        {...(onRefused && { onRefused })}
        {...(className && { className })}
      >
        {children}
      </Form>
    </Dialog>
  );
}

function DiscardDialog({ discard, onClose }: { discard: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      title={t("form.discardTitle")}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" onClick={discard}>
            {t("form.discard")}
          </Button>
          <Button kind="primary" ref={stay} onClick={onClose}>
            {t("form.keepTyping")}
          </Button>
        </>
      }
    />
  );
}

/** Above this many people, the number has to be typed. */
const TYPED_ABOVE = 1_000;

type ConfirmProps = {
  title: string;
  lead: ReactNode;
  /** The verb on the button. */
  action: string;
  /** How many people it is about; many have to be typed. */
  people?: number;
  confirm: () => Promise<void>;
  onClose: () => void;
};

/** Asks before what can't be undone. Focus is on "Cancel". */
export function ConfirmDialog({ title, lead, action, people = 0, confirm, onClose }: ConfirmProps) {
  const { t } = useTranslation();
  const cancel = useRef<HTMLButtonElement>(null);
  const number = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<ApiError>();
  const mustType = people > TYPED_ABOVE;
  const isTyped = typed.replaceAll(/\D/g, "") === String(people);
  const [isMissing, setMissing] = useState(false);

  const act = async () => {
    if (mustType && !isTyped) {
      setMissing(true);
      return number.current?.focus();
    }
    setBusy(true);
    setError(undefined);
    try {
      await confirm();
      onClose();
    } catch (thrown) {
      setError(asApiError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      lead={lead}
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <button ref={cancel} type="button" className="btn btn-quiet" onClick={onClose}>
            {t("do.cancel")}
          </button>
          <Button kind="danger" busy={busy} onClick={() => void act()}>
            {action}
          </Button>
        </>
      }
    >
      {mustType && (
        <TextField
          name="people"
          label={t("form.typeNumber", { count: people, number: String(people) })}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          ref={number}
          fault={isMissing && !isTyped ? t("form.numberDiffers", { number: String(people) }) : undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}
