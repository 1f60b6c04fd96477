import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../../../kit/button.tsx";
import { CheckedField, LinkField } from "./fields.tsx";
import type { KindProps } from "./kind-props.ts";

type Link = { readonly label: string; readonly link: string };
const MOST = 12;

export function SocialFields({ chosen: { attrs }, set }: KindProps) {
  const { t } = useTranslation();
  const links = attrs["links"] as readonly Link[];
  const change = (at: number, patch: Partial<Link>) =>
    set({ links: links.map((link, index) => (index === at ? { ...link, ...patch } : link)) });
  return (
    <>
      {links.map((link, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a link is known by its place.
        <fieldset key={at} className="social-field">
          <legend className="flabel">{t("blocksEditor.settings.socialOf", { number: at + 1 })}</legend>
          <CheckedField
            name={`label-${at}`}
            label={t("blocksEditor.ask.socialLabel")}
            value={link.label}
            check={(text) => (text.trim() === "" ? t("blocksEditor.ask.labelFault") : undefined)}
            set={(label) => change(at, { label: label.slice(0, 60) })}
          />
          <LinkField
            name={`link-${at}`}
            label={t("blocksEditor.settings.link")}
            value={link.link}
            set={(address) => change(at, { link: address ?? "" })}
          />
          {links.length > 1 && (
            <Button
              size="sm"
              kind="quiet"
              icon={X}
              onClick={() => set({ links: links.filter((_one, index) => index !== at) })}
            >
              {t("blocksEditor.settings.removeLink", { number: at + 1 })}
            </Button>
          )}
        </fieldset>
      ))}
      {links.length < MOST && (
        <Button
          size="sm"
          onClick={() =>
            set({
              links: [...links, { label: t("blocksEditor.ask.socialLabel"), link: links.at(-1)?.link ?? "" }],
            })
          }
        >
          {t("blocksEditor.settings.addLink")}
        </Button>
      )}
    </>
  );
}
