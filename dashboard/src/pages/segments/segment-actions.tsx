/** What can be done with a segment as a whole, at the top of its page. */
import { Link, useNavigate } from "@tanstack/react-router";
import { Check, Copy, Ellipsis, FileJson, Save, Trash2, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Segment } from "../../api/openapi.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Menu, type MenuItem } from "../../kit/overlays/menu.tsx";
import { notify } from "../../kit/toasts.tsx";
import type { Rules } from "./rules/tree.ts";

type Props = {
  /** As it was saved; undefined while it never was. */
  segment: Segment | undefined;
  isChanged: boolean;
  rules: Rules;
  formId: string;
  busy: boolean;
  onDelete: () => void;
};

export function SegmentActions({ segment, isChanged, rules, formId, busy, onDelete }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const see = { to: "/subscribers", search: { segment: segment?.id } } as const;
  const copyRules = async () => {
    await navigator.clipboard.writeText(JSON.stringify(rules, null, 2));
    notify(t("segments.copied"));
  };
  const copy: MenuItem = { label: t("segments.copyJson"), icon: FileJson, run: () => void copyRules() };
  const ofSaved = (id: string): readonly MenuItem[] => [
    { label: t("segments.see"), icon: Users, run: () => void navigate(see) },
    {
      label: t("segments.duplicate"),
      icon: Copy,
      run: () => void navigate({ to: "/segments/new", search: { copy: id } }),
    },
    copy,
    { label: t("do.delete"), icon: Trash2, danger: true, run: onDelete },
  ];
  return (
    <>
      <SaveState isNew={!segment} isChanged={isChanged} />
      {segment && (
        <Link {...see} className="btn hide-s">
          <Icon of={Users} />
          {t("segments.see")}
        </Link>
      )}
      <Menu
        trigger={<Button icon={Ellipsis} aria-label={t("do.more")} />}
        items={segment ? ofSaved(segment.id) : [copy]}
      />
      <Button kind="primary" icon={Save} type="submit" form={formId} busy={busy}>
        {t("do.save")}
      </Button>
    </>
  );
}

function SaveState({ isNew, isChanged }: { isNew: boolean; isChanged: boolean }) {
  const { t } = useTranslation();
  if (isNew || isChanged) return <span className="sm dim hide-s">{t("segments.unsaved")}</span>;
  return (
    <span className="sm dim row hide-s">
      <Icon of={Check} size="sm" />
      {t("segments.saved")}
    </span>
  );
}
