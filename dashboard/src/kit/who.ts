import { useTranslation } from "react-i18next";
import type { List } from "../api/openapi.ts";

export type UpdatedBy = List["updated_by"];

/** Names whoever changed a thing last, as the beginning of a sentence. */
export function useWho() {
  const { t } = useTranslation();
  return (by: UpdatedBy): string => {
    if (by === null) return t("who.nobody");
    return by.name === null ? t(`who.nameless.${by.kind}`) : t(`who.named.${by.kind}`, { name: by.name });
  };
}
