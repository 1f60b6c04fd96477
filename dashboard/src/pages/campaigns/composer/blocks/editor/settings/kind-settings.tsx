/** What can be set for each kind of block. */
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { Checkbox, SelectField, TextArea } from "../../../../../../kit/forms/field.tsx";
import type { Attributes } from "../../document/types.ts";
import { MOST_COLUMNS, setColumnCount, setWidths } from "../state/columns.ts";
import { blockById } from "../state/find-blocks.ts";
import { changeTable, type TableChange } from "../state/tables.ts";
import { CheckedField, ColourField, LinkField, NumberField } from "./fields.tsx";
import type { KindProps } from "./kind-props.ts";
import { PictureFields, ProductPicture } from "./picture-fields.tsx";
import { SocialFields } from "./social-fields.tsx";

export function KindSettings(props: KindProps) {
  switch (props.chosen.kind) {
    case "heading":
      return <HeadingFields {...props} />;
    case "image":
      return <PictureFields {...props} />;
    case "button":
      return <ButtonFields {...props} />;
    case "divider":
      return <LineFields {...props} />;
    case "spacer":
      return <SpaceField {...props} />;
    case "columns":
      return <ColumnsFields {...props} />;
    case "social":
      return <SocialFields {...props} />;
    case "product":
      return <ProductFields {...props} />;
    case "table":
      return <TableFields {...props} />;
    case "html":
      return <HtmlField {...props} />;
    case "footer":
      return <FooterFields {...props} />;
    default:
      return null;
  }
}

function HeadingFields({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <SelectField
      name="level"
      label={t("blocksEditor.settings.level")}
      value={String(attrs["level"])}
      onChange={(event) => set({ level: Number(event.target.value) })}
      options={(["1", "2", "3"] as const).map((level) => ({
        value: level,
        label: t(`blocksEditor.settings.levels.${level}`),
      }))}
    />
  );
}

function ButtonFields({ controls, chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  const style = (controls.store.snapshot().head["style"] ?? {}) as Attributes;
  const preset = (name: string, usual: string) => String(style[name] ?? usual);
  return (
    <>
      <LinkField
        label={t("blocksEditor.settings.link")}
        value={attrs["link"] as string | null}
        set={(link) => set({ link })}
      />
      <Checkbox
        label={t("blocksEditor.settings.fullWidth")}
        checked={attrs["full_width"] === true}
        onChange={(event) => set({ full_width: event.target.checked || null })}
      />
      <ColourField
        label={t("blocksEditor.settings.background")}
        value={attrs["background"] as string | null}
        preset={preset("button_background", "#0b5c44")}
        set={(background) => set({ background })}
      />
      <ColourField
        label={t("blocksEditor.settings.colour")}
        value={attrs["colour"] as string | null}
        preset={preset("button_colour", "#ffffff")}
        set={(colour) => set({ colour })}
      />
    </>
  );
}

function LineFields({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <>
      <ColourField
        label={t("blocksEditor.settings.lineColour")}
        value={attrs["colour"] as string | null}
        preset="#d9d3c8"
        set={(colour) => set({ colour })}
      />
      <NumberField
        name="thickness"
        label={t("blocksEditor.settings.thickness")}
        value={attrs["thickness"] as number | null}
        least={1}
        most={8}
        isOptional
        set={(thickness) => set({ thickness })}
      />
    </>
  );
}

function SpaceField({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <NumberField
      name="height"
      label={t("blocksEditor.settings.height")}
      value={attrs["height"] as number}
      least={4}
      most={200}
      set={(height) => set({ height })}
    />
  );
}

function ColumnsFields({ controls, chosen: { id } }: KindProps) {
  const { t } = useTranslation();
  const count = blockById(controls.editor.state.doc, id)?.node.childCount ?? 2;
  const counts = Array.from({ length: MOST_COLUMNS - 1 }, (_, at) => at + 2);
  return (
    <>
      <SelectField
        name="columns"
        label={t("blocksEditor.settings.columns")}
        value={String(count)}
        onChange={(event) =>
          controls.change((state) => setColumnCount(state, id, Number(event.target.value)))
        }
        options={counts.map((one) => ({
          value: String(one),
          label: t("blocksEditor.settings.columnCount", { count: one }),
        }))}
      />
      <Button
        size="sm"
        onClick={() =>
          controls.change((state) =>
            setWidths(
              state,
              id,
              Array.from({ length: count }, () => 100 / count),
            ),
          )
        }
      >
        {t("blocksEditor.settings.even")}
      </Button>
    </>
  );
}

function ProductFields(props: KindProps) {
  const { t } = useTranslation();
  const { chosen, set } = props;
  return (
    <>
      <ProductPicture {...props} />
      <LinkField
        label={t("blocksEditor.settings.linkOptional")}
        value={chosen.attrs["link"] as string | null}
        isOptional
        set={(link) => set({ link })}
      />
      <CheckedField
        name="label"
        label={t("blocksEditor.settings.label")}
        value={(chosen.attrs["label"] as string | null) ?? ""}
        set={(label) => set({ label: label.slice(0, 100) || null })}
      />
    </>
  );
}

const CHANGES: readonly TableChange[] = ["addRow", "removeRow", "addColumn", "removeColumn"];

function TableFields({ controls, chosen: { id, attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <>
      <Checkbox
        label={t("blocksEditor.settings.header")}
        checked={attrs["has_header"] === true}
        onChange={(event) => set({ has_header: event.target.checked })}
      />
      <div className="row wrap">
        {CHANGES.map((change) => (
          <Button
            key={change}
            size="sm"
            onClick={() => controls.change((state) => changeTable(state, id, change))}
          >
            {t(`blocksEditor.settings.${change}`)}
          </Button>
        ))}
      </div>
    </>
  );
}

const LONGEST_HTML = 100_000;

function HtmlField({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (
    <TextArea
      name="html"
      label={t("blocksEditor.settings.html")}
      hint={t("blocksEditor.settings.htmlHint")}
      className="input mono html-field"
      rows={8}
      spellCheck={false}
      maxLength={LONGEST_HTML}
      value={String(attrs["html"])}
      onChange={(event) => set({ html: event.target.value })}
    />
  );
}

function FooterFields({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  return (["unsubscribe", "preferences", "view"] as const).map((name) => (
    <CheckedField
      key={name}
      name={name}
      label={t(`blocksEditor.settings.${name}`)}
      value={(attrs[name] as string | null) ?? ""}
      check={(text) =>
        name === "unsubscribe" && text.trim() === "" ? t("blocksEditor.settings.wordsFault") : undefined
      }
      set={(text) => set({ [name]: text.slice(0, 100) || null })}
    />
  ));
}
