import { Download, FileText, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../api/account.ts";
import type { Domain } from "../../../api/openapi.ts";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { followDownload } from "../../exports/download.ts";

export type OpenDialog =
  | { readonly what: "new" }
  | { readonly what: "edit" | "rotate" | "delete"; readonly domain: Domain };

type MenuProps = { domain: Domain; onOpen: (open: OpenDialog) => void };

export function DomainMenu({ domain, onOpen }: MenuProps) {
  const { t } = useTranslation();
  const zone = ofAccount(`/v1/domains/${domain.id}/zone`);
  const copyZone = async () => {
    try {
      const answer = await fetch(zone);
      if (!answer.ok) throw new Error(answer.statusText);
      await navigator.clipboard.writeText(await answer.text());
      notify(t("domains.zoneCopied"));
    } catch {
      notifyFailure(t("problem.unexpected"));
    }
  };
  return (
    <RowMenu
      name={domain.name}
      items={[
        { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", domain }) },
        { label: t("domains.rotate"), icon: KeyRound, run: () => onOpen({ what: "rotate", domain }) },
        { label: t("domains.zoneDownload"), icon: Download, run: () => followDownload(zone) },
        { label: t("domains.zoneCopy"), icon: FileText, run: () => void copyZone() },
        {
          label: t("do.delete"),
          icon: Trash2,
          danger: true,
          run: () => onOpen({ what: "delete", domain }),
        },
      ]}
    />
  );
}
