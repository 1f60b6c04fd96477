/** What the mail looks like while it is typed: on a phone, on a desk, as text, in the dark, and for whom. */
import "../../../../i18n/later/writing/mail-preview.ts";
import "./preview.css";
import { getRouteApi } from "@tanstack/react-router";
import { Eye, ImageIcon, Moon } from "lucide-react";
import { memo, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignPreview } from "../../../../api/openapi.ts";
import { Button } from "../../../../kit/button.tsx";
import { useRegisterActions } from "../../../../shell/actions.ts";
import type { Draft } from "../draft/use-draft.ts";
import { AsWhom } from "./as-whom.tsx";
import { type Place, PreviewFault } from "./preview-fault.tsx";
import type { PreviewSearch, PreviewView } from "./search.ts";
import { ShownMail, showsOthers, Views } from "./shown-mail.tsx";
import { useRendered } from "./use-rendered.ts";

const route = getRouteApi("/signed-in/campaigns/$id/edit");

type MailPreviewProps = {
  campaignId: string;
  draft: Draft;
  subscriberId: string | null;
  onSubscriber: (id: string | null) => void;
  /** Hears each rendering, for whoever shows its subject elsewhere. */
  onRendered?: (preview: CampaignPreview) => void;
  /** Leads to the place of a fault. */
  onShow?: (place: Place) => void;
};

export const MailPreview = memo(function MailPreview({
  campaignId,
  draft,
  subscriberId,
  onSubscriber,
  onRendered,
  onShow,
}: MailPreviewProps) {
  const { t } = useTranslation();
  const { preview: given, dark } = route.useSearch();
  const view: PreviewView = given ?? "phone";
  const change = useChange();
  const [hasAllPictures, setAllPictures] = useState(false);
  const isShown = view !== "off";
  const rendered = useRendered({ campaignId, draft, subscriberId, hasText: view === "text", isShown });
  const { preview, error, retry } = rendered;
  useEffect(() => {
    if (preview) onRendered?.(preview);
  }, [preview, onRendered]);
  // A long mail is looked through for each rendering, and not for each key.
  const hasOthers = useMemo(() => showsOthers(preview?.html ?? ""), [preview?.html]);
  const toggle = () => change({ preview: isShown ? "off" : undefined });
  useRegisterActions([
    { id: "toggle-preview", label: t("mailPreview.toggle"), icon: Eye, keys: "mod+\\", run: toggle },
  ]);
  return (
    <section className="mail-preview" aria-label={t("mailPreview.title")}>
      <div className="mail-preview-bar">
        <Views view={view} onView={(next) => change({ preview: next === "phone" ? undefined : next })} />
        <Button
          size="sm"
          icon={Moon}
          aria-label={t("mailPreview.dark")}
          aria-pressed={dark === true}
          onClick={() => change({ dark: dark ? undefined : true })}
        />
        <span className="grow" />
        <AsWhom listId={draft.list_id} subscriberId={subscriberId} onSubscriber={onSubscriber} />
      </div>
      {isShown && (
        <div className="mail-preview-ground">
          {error && (
            <PreviewFault error={error} retry={retry} onShow={onShow} hasLast={preview !== undefined} />
          )}
          {preview && (
            <ShownMail view={view} mail={preview} isDark={dark === true} hasAllPictures={hasAllPictures} />
          )}
          {hasOthers && view !== "text" && !hasAllPictures && (
            <Button size="sm" kind="quiet" icon={ImageIcon} onClick={() => setAllPictures(true)}>
              {t("mailPreview.pictures")}
            </Button>
          )}
        </div>
      )}
    </section>
  );
});

function useChange(): (next: PreviewSearch) => void {
  const navigate = route.useNavigate();
  return (next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
}
