import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../api/openapi.ts";
import { audit } from "../../../i18n/later/settings/audit.ts";

type Actions = typeof audit.audit.actions;
/** The kinds of things that are changed, by which the page filters. */
export const KINDS = Object.keys(audit.audit.kinds) as (keyof typeof audit.audit.kinds)[];

/** A newer service may record an action that this page has no words for: it shows the name of it. */
function isKnown(action: string): boolean {
  const [kind = "", verb = ""] = action.split(".");
  const verbs: Readonly<Record<string, string>> | undefined = audit.audit.actions[kind as keyof Actions];
  return verbs !== undefined && Object.hasOwn(verbs, verb);
}

export function useAuditWords() {
  const { t } = useTranslation();
  return {
    action: (action: string) =>
      isKnown(action) ? t(`audit.actions.${action}` as "audit.actions.account.created") : action,
    actor: ({ kind, name }: AuditEntry["actor"]) => name ?? t(`audit.actors.${kind}`),
  };
}
