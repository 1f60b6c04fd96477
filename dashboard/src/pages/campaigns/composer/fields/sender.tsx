import { useQuery } from "@tanstack/react-query";
import { memo, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../../../api/queries.ts";
import { TextField } from "../../../../kit/forms/field.tsx";
import type { EnvelopeDrafting } from "../draft/use-envelope.ts";
import { Group } from "../group.tsx";

const FIELDS = ["from_name", "from_email", "reply_to"] as const;

/** Who it comes from. What the campaign leaves open, its list says, and then the account; that is shown in grey. */
export const Sender = memo(function Sender({ drafting }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const { draft, faults, change } = drafting;
  const used = useSenderDefaults(draft.list_id);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const hasFault = FIELDS.some((field) => faults[field]);
  const isShown = isOpen || hasFault;
  const email = draft.from_email ?? used.from_email;
  return (
    <Group
      title={t("composer.sender.title")}
      end={
        <button
          type="button"
          className="text-button"
          aria-expanded={isShown}
          aria-controls={isShown ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {isShown ? t("composer.sender.close") : t("composer.sender.change")}
        </button>
      }
    >
      {!isShown && (
        <div className="sm">
          <div className="med break" dir="auto">
            {draft.from_name ?? used.from_name ?? email ?? t("composer.sender.none")}
          </div>
          <div className="dim break">{email ?? t("composer.sender.noneHint")}</div>
          {draft.reply_to && (
            <div className="dim break">{t("composer.sender.repliesTo", { email: draft.reply_to })}</div>
          )}
        </div>
      )}
      {isShown && (
        <div id={id} className="stack-4">
          {FIELDS.map((field) => (
            <TextField
              key={field}
              name={field}
              label={t(`composer.fields.${field}`)}
              type={field === "from_name" ? "text" : "email"}
              maxLength={field === "from_name" ? 200 : 254}
              value={draft[field] ?? ""}
              placeholder={used[field] ?? ""}
              hint={hintOf(field)}
              fault={faults[field]}
              autoComplete="off"
              onChange={(event) => change({ [field]: event.target.value || null })}
            />
          ))}
        </div>
      )}
    </Group>
  );

  function hintOf(field: (typeof FIELDS)[number]): string | undefined {
    if (draft[field] !== null) return undefined;
    const value = used[field];
    if (value) return t("composer.sender.default", { value });
    return field === "reply_to" ? t("composer.sender.replyDefault") : undefined;
  }
});

/** What mail of this list is from, where the campaign itself says nothing. */
export function useSenderDefaults(listId: string) {
  const { data: list } = useQuery(query("GET /v1/lists/{id}", { path: { id: listId } }));
  const { data: account } = useQuery(query("GET /v1/account", {}));
  return {
    from_name: list?.from_name ?? account?.from_name ?? null,
    from_email: list?.from_email ?? account?.from_email ?? null,
    reply_to: list?.reply_to ?? account?.reply_to ?? null,
  };
}
