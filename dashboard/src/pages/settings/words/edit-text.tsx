import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { PageWords } from "../../../api/openapi.ts";
import { TextArea } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { PageText } from "./text-groups.ts";

const MOST_CHARACTERS = 1_000;

type EditProps = {
  words: Pick<PageWords, "locale" | "direction">;
  text: PageText;
  onClose: () => void;
};

/** Writes another text in place of the standard one; left empty, the standard text is back. */
export function EditText({ words: { locale, direction }, text, onClose }: EditProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { key, standard, own } = text;
  const places = [...new Set(standard.match(/\{\w+\}/g))];
  return (
    <FormDialog
      title={t("pageWords.edit")}
      action={t("do.save")}
      onClose={onClose}
      submit={async (values) => {
        const path = { locale };
        // All own texts are replaced at once, so those that somebody else wrote meanwhile are sent along.
        const { texts } = await call("GET /v1/page_words/{locale}", { path });
        const { [key]: _before, ...others } = texts;
        const typed = values.text(`texts.${key}`);
        const body = { texts: { ...others, ...(typed !== "" && { [key]: typed }) } };
        await call("PUT /v1/page_words/{locale}", { path, body });
        onClose();
        await queries.invalidateQueries({ queryKey: ["page_words"] });
        notify(t(typed === "" || typed === standard ? "pageWords.back" : "pageWords.saved"));
      }}
    >
      <dl className="kv">
        <dt>{t("pageWords.standard")}</dt>
        <dd className="break" dir={direction} lang={locale}>
          {standard}
        </dd>
        <dt>{t("pageWords.key")}</dt>
        <dd className="mono break">{key}</dd>
      </dl>
      <TextArea
        name={`texts.${key}`}
        label={t("pageWords.own")}
        hint={
          places.length === 0
            ? t("pageWords.ownHint")
            : t("pageWords.ownHintPlaces", { places: places.join(", ") })
        }
        optional
        rows={3}
        maxLength={MOST_CHARACTERS}
        defaultValue={own ?? ""}
        dir={direction}
        lang={locale}
      />
    </FormDialog>
  );
}
