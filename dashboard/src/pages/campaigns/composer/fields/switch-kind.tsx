import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import type { Draft } from "../draft/use-draft.ts";

export type Kind = "mjml" | "html";

export const kindOf = (draft: Pick<Draft, Kind>): Kind => (draft.mjml !== null ? "mjml" : "html");

export const BLANK: Readonly<Record<Kind, string>> = {
  mjml: "<mjml>\n  <mj-body>\n    <mj-section>\n      <mj-column>\n        <mj-text></mj-text>\n      </mj-column>\n    </mj-section>\n  </mj-body>\n</mjml>\n",
  html: "",
};

/** HTML is kept as it is within MJML; nothing is lost by it. */
const wrapped = (html: string) =>
  `<mjml>\n  <mj-body>\n    <mj-raw>\n${html}\n    </mj-raw>\n  </mj-body>\n</mjml>\n`;

type Source = Pick<Draft, Kind>;
type Props = {
  drafting: { readonly draft: Source; readonly change: (patch: Source) => void };
  from: Kind;
  to: Kind;
  onClose: () => void;
};

/** The two are languages of their own: the switch says what becomes of what is there, and can be undone. */
export function SwitchKind({ drafting, from, to, onClose }: Props) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  const before = drafting.draft[from] ?? "";
  const isEmpty = before.trim() === "";
  const go = (source: string) => {
    drafting.change(to === "mjml" ? { mjml: source, html: null } : { html: source, mjml: null });
    if (!isEmpty)
      notify(t(`composer.content.switched.${to}`), {
        label: t("do.undo"),
        run: () =>
          drafting.change(from === "mjml" ? { mjml: before, html: null } : { html: before, mjml: null }),
      });
    onClose();
  };
  // Nothing is lost where nothing is there, so nobody is asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when it opens.
  useEffect(() => {
    if (isEmpty) go(BLANK[to]);
  }, []);
  if (isEmpty) return null;
  return (
    <Dialog
      title={t(`composer.content.switch.${to}`)}
      lead={t(`composer.content.switchLead.${to}`)}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" ref={stay} onClick={onClose}>
            {t("do.cancel")}
          </Button>
          {to === "mjml" && <Button onClick={() => go(wrapped(before))}>{t("composer.content.wrap")}</Button>}
          <Button kind="primary" onClick={() => go(BLANK[to])}>
            {t("composer.content.startEmpty")}
          </Button>
        </>
      }
    />
  );
}
