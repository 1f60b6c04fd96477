import { type FormEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../kit/button.tsx";
import { Checkbox, TextField } from "../../../../../kit/forms/field.tsx";
import { Dialog } from "../../../../../kit/overlays/dialog.tsx";
import type { Picture } from "./use-uploads.ts";

/** As wide as the column of a usual mail. */
const USUAL_WIDTH = 600;

export type DescribedPicture = { readonly url: string; readonly alt: string; readonly width: number };

type Props = {
  picture: Picture;
  insert: (picture: DescribedPicture) => void;
  onBack: () => void;
  onClose: () => void;
};

/** Asks what a picture shows, for those who don't see it, and how wide it is to be. */
export function DescribePicture({ picture, insert, onBack, onClose }: Props) {
  const { t } = useTranslation();
  const form = useId();
  const described = useRef<HTMLInputElement>(null);
  const [alt, setAlt] = useState("");
  const [isDecoration, setDecoration] = useState(false);
  const [width, setWidth] = useState(String(Math.min(picture.width, USUAL_WIDTH)));
  const [isAsked, setAsked] = useState(false);
  const pixels = Number(width);
  const hasAlt = isDecoration || alt.trim() !== "";
  const hasWidth = Number.isInteger(pixels) && pixels >= 1 && pixels <= 2_000;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!hasAlt) return described.current?.focus();
    if (hasWidth) insert({ url: picture.url, alt: isDecoration ? "" : alt.trim(), width: pixels });
  };
  return (
    <Dialog
      title={t("editor.pictures.describe")}
      onClose={onClose}
      initialFocus={described}
      footer={
        <>
          <Button kind="quiet" onClick={onBack}>
            {t("editor.pictures.another")}
          </Button>
          <Button kind="primary" type="submit" form={form}>
            {t("editor.pictures.insert")}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <img className="picture-shown well" src={`/files/${picture.id}`} alt={picture.name} />
        <TextField
          name="alt"
          label={t("editor.pictures.alt")}
          hint={t("editor.pictures.altHint")}
          ref={described}
          autoComplete="off"
          disabled={isDecoration}
          value={alt}
          fault={isAsked && !hasAlt ? t("editor.pictures.altMissing") : undefined}
          onChange={(event) => setAlt(event.target.value)}
        />
        <Checkbox
          label={t("editor.pictures.decoration")}
          checked={isDecoration}
          onChange={(event) => setDecoration(event.target.checked)}
        />
        <TextField
          name="width"
          label={t("editor.pictures.width")}
          hint={t("editor.pictures.widthHint", { width: picture.width })}
          inputMode="numeric"
          autoComplete="off"
          value={width}
          fault={isAsked && !hasWidth ? t("editor.pictures.widthFault") : undefined}
          onChange={(event) => setWidth(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
