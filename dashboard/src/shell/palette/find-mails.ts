/** Transactional mail in the palette: one by its id, and all that went to an address. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MailCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../api/may.ts";
import { query } from "../../api/queries.ts";
import type { Action } from "../actions.ts";
import type { Found } from "./find-by-name.ts";

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const ID = /^msg_[0-9a-z]{26}$/;

export function useMails(text: string): Found<Action & { readonly note?: string }> {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayRead = useMay()("emails:read");
  const one = useQuery({
    ...query("GET /v1/emails/{id}", { path: { id: text } }),
    enabled: mayRead && ID.test(text),
  });
  if (!mayRead) return { entries: [], isSearching: false };
  const found = ID.test(text) && one.data ? [one.data] : [];
  const entries = found.map(({ id, subject, to }) => ({
    id,
    label: subject || t("inbox.noSubject"),
    note: to[0] ?? "",
    icon: MailCheck,
    run: () => void navigate({ to: "/emails/$id", params: { id } }),
  }));
  const toAddress = {
    id: `emails-to-${text}`,
    label: t("palette.mailsTo", { email: text }),
    icon: MailCheck,
    run: () => void navigate({ to: "/emails", search: { to: text } }),
  };
  return { entries: ADDRESS.test(text) ? [toAddress] : entries, isSearching: one.isLoading };
}
