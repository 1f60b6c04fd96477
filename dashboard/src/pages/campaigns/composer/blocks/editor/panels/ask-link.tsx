/** Asks for what a button, social links or a link in the text can't be without. */
import { type FormEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { TextField } from "../../../../../../kit/forms/field.tsx";
import { Dialog } from "../../../../../../kit/overlays/dialog.tsx";
import { newId } from "../../document/new-block.ts";
import { isLink, linkFrom } from "../../document/rules.ts";
import type { Controls } from "../controls.ts";
import type { Shown } from "../editor-store.ts";
import { setLink } from "../state/word-commands.ts";

type Props = {
  controls: Controls;
  shown: Shown;
  what: "button" | "social" | "link";
  onClose: () => void;
};

const EXAMPLE = "{{ unsubscribe_url }}";

export function AskLink({ controls, shown, what, onClose }: Props) {
  const { t } = useTranslation();
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const [label, setLabel] = useState(what === "button" ? t("blocksEditor.ask.buttonLabel") : "");
  const [typed, setTyped] = useState(what === "link" ? (shown.link ?? "") : "");
  const [isAsked, setAsked] = useState(false);
  const link = linkFrom(typed);
  const isRight = isLink(link);
  const hasLabel = what === "link" || label.trim() !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!isRight || !hasLabel) return first.current?.focus();
    onClose();
    if (what === "link") controls.act((state) => setLink(state, link));
    else controls.insert([blockOf(what, label.trim(), link)]);
  };
  const remove = () => {
    onClose();
    controls.act((state) => setLink(state, null));
  };
  return (
    <Dialog
      title={t(what === "link" ? "blocksEditor.ask.setLink" : `blocksEditor.ask.${what}`)}
      onClose={onClose}
      initialFocus={first}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          {what === "link" && shown.link !== undefined && (
            <Button onClick={remove}>{t("blocksEditor.ask.removeLink")}</Button>
          )}
          <Button kind="primary" type="submit" form={form}>
            {t(what === "link" ? "blocksEditor.ask.set" : "blocksEditor.ask.add")}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <TextField
          name="link"
          label={t("blocksEditor.ask.link")}
          hint={t("blocksEditor.ask.linkHint", { example: EXAMPLE })}
          ref={first}
          type="url"
          autoComplete="off"
          value={typed}
          fault={isAsked && !isRight ? t("blocksEditor.ask.linkFault") : undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
        {what !== "link" && (
          <TextField
            name="label"
            label={t(what === "social" ? "blocksEditor.ask.socialLabel" : "blocksEditor.ask.label")}
            autoComplete="off"
            maxLength={60}
            value={label}
            fault={isAsked && !hasLabel ? t("blocksEditor.ask.labelFault") : undefined}
            onChange={(event) => setLabel(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  );
}

function blockOf(what: "button" | "social", label: string, link: string) {
  const id = newId();
  if (what === "social") return { id, type: "social" as const, links: [{ label, link }] };
  return { id, type: "button" as const, label: [{ type: "text" as const, text: label }], link };
}
