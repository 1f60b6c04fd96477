import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { Checkbox } from "../../../../../../kit/forms/field.tsx";
import { SOURCE } from "../../document/rules.ts";
import { CheckedField, LinkField, NumberField } from "./fields.tsx";
import type { KindProps } from "./kind-props.ts";

const LONGEST_ALT = 1_000;

export function PictureFields({ controls, chosen: { id, attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <>
      <AltFields value={attrs["alt"] as string | null} set={(alt) => set({ alt })} />
      <LinkField
        label={t("blocksEditor.settings.linkOptional")}
        value={attrs["link"] as string | null}
        isOptional
        set={(link) => set({ link })}
      />
      <NumberField
        name="width"
        label={t("blocksEditor.settings.width")}
        value={attrs["width"] as number | null}
        least={16}
        most={720}
        isOptional
        set={(width) => set({ width })}
      />
      <NumberField
        name="radius"
        label={t("blocksEditor.settings.radius")}
        value={attrs["radius"] as number | null}
        least={0}
        most={60}
        isOptional
        set={(radius) => set({ radius })}
      />
      <CheckedField
        name="src"
        label={t("blocksEditor.settings.src")}
        value={String(attrs["src"])}
        check={(text) => (SOURCE.test(text) ? undefined : t("blocksEditor.settings.srcFault"))}
        set={(src) => set({ src })}
      />
      <Button size="sm" onClick={() => controls.setOpen({ kind: "pictures", files: [], forId: id })}>
        {t("blocksEditor.settings.choosePicture")}
      </Button>
    </>
  );
}

type AltProps = { value: string | null; set: (alt: string | null) => void };

/** A picture that says nothing is told apart from one that nobody has described yet. */
function AltFields({ value, set }: AltProps) {
  const { t } = useTranslation();
  return (
    <>
      {value !== "" && (
        <CheckedField
          name="alt"
          label={t("blocksEditor.settings.alt")}
          hint={t("blocksEditor.settings.altHint")}
          value={value ?? ""}
          set={(alt) => set(alt.slice(0, LONGEST_ALT) || null)}
        />
      )}
      <Checkbox
        label={t("blocksEditor.settings.decoration")}
        checked={value === ""}
        onChange={(event) => set(event.target.checked ? "" : null)}
      />
    </>
  );
}

type Picture = { readonly src: string; readonly alt: string | null };

export function ProductPicture({ controls, chosen: { id, attrs }, set }: KindProps) {
  const { t } = useTranslation();
  const image = attrs["image"] as Picture | null;
  const choose = () => controls.setOpen({ kind: "pictures", files: [], forId: id });
  return (
    <>
      {image && <AltFields value={image.alt} set={(alt) => set({ image: { ...image, alt } })} />}
      <div className="row wrap">
        <Button size="sm" onClick={choose}>
          {t(image ? "blocksEditor.settings.choosePicture" : "blocksEditor.settings.addPicture")}
        </Button>
        {image && (
          <Button size="sm" onClick={() => set({ image: null })}>
            {t("blocksEditor.settings.removePicture")}
          </Button>
        )}
      </div>
    </>
  );
}
