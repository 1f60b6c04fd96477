/** The words that nodes show, as the page knows them now. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../../../../api/queries.ts";
import type { EditorWords } from "./schema/words.ts";

const PLACEHOLDERS = [
  "heading",
  "paragraph",
  "button",
  "footer",
  "product_title",
  "product_description",
  "product_price",
  "quote_words",
  "quote_source",
] as const;

export function useEditorWords(nameOf: (variable: string) => string): EditorWords {
  const { t } = useTranslation();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const latest = useRef({ nameOf, address: account?.postal_address });
  latest.current = { nameOf, address: account?.postal_address };
  return useMemo(
    () => ({
      variable(name, fallback) {
        const said = latest.current.nameOf(name);
        return fallback ? t("blocksEditor.variable", { name: said, fallback }) : said;
      },
      onlyFor(condition) {
        if (condition.type === "tag")
          return t(`blocksEditor.only.${condition.has ? "tag" : "notTag"}`, { tag: condition.tag });
        const { name, is, value = "" } = condition;
        return t(`blocksEditor.only.${is}`, { name: latest.current.nameOf(name), value });
      },
      repeat: ({ over }) => t("blocksEditor.repeated", { over }),
      placeholder(node) {
        const known = PLACEHOLDERS.find((one) => one === node);
        return known ? t(`blocksEditor.placeholders.${known}`) : "";
      },
      kept: (type) => (type ? t("blocksEditor.kept", { type }) : t("blocksEditor.keptUnnamed")),
      elsewhere: (host) => t("blocksEditor.elsewhere", { host }),
      notDescribed: () => t("blocksEditor.notDescribed"),
      decoration: () => t("blocksEditor.decoration"),
      divider: () => t("blocksEditor.kinds.divider"),
      spacer: (height) => t("blocksEditor.spacer", { height }),
      emptyHtml: () => t("blocksEditor.emptyHtml"),
      emptyColumn: () => t("blocksEditor.emptyColumn"),
      postalAddress: () => latest.current.address ?? t("blocksEditor.address"),
    }),
    [t],
  );
}
