/** The mail of blocks that somebody begins with, in the words of the page. It is loaded when it is wanted. */
import "../../../../i18n/later/writing/composer.ts";
import i18next from "i18next";
import type { BlocksDocument } from "../../../../api/openapi.ts";
import { firstDocument } from "./document/new-block.ts";

export function firstMail(): BlocksDocument {
  const { t } = i18next;
  return firstDocument({
    greeting: t("composer.blocks.greeting"),
    reader: t("composer.blocks.reader"),
    begin: t("composer.blocks.begin"),
    unsubscribe: t("composer.blocks.unsubscribe"),
    preferences: t("composer.blocks.preferences"),
  });
}
