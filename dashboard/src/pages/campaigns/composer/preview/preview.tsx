/** What the mail looks like while it is typed: on a phone, on a desk, as text, in the dark, and for whom. */
import "../../../../i18n/later/mail-preview.ts";
import "./preview.css";
import { getRouteApi } from "@tanstack/react-router";
import { AlignLeft, Eye, ImageIcon, Monitor, Moon, Smartphone } from "lucide-react";
import { memo, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignPreview } from "../../../../api/openapi.ts";
import { Button } from "../../../../kit/button.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { useRegisterActions } from "../../../../shell/actions.ts";
import type { Draft } from "../draft/use-draft.ts";
import { AsWhom } from "./as-whom.tsx";
import { MailFrame } from "./mail-frame.tsx";
import { type Place, PreviewFault } from "./preview-fault.tsx";
import { ScaledDesk } from "./scaled-desk.tsx";
import type { PreviewSearch, PreviewView } from "./search.ts";
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

export function MailPreview({
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
            <Shown view={view} preview={preview} isDark={dark === true} hasAllPictures={hasAllPictures} />
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
}

function useChange(): (next: PreviewSearch) => void {
  const navigate = route.useNavigate();
  return (next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
}

const PICTURES = { phone: Smartphone, desktop: Monitor, text: AlignLeft };

function Views({ view, onView }: { view: PreviewView; onView: (view: PreviewView) => void }) {
  const { t } = useTranslation();
  return (
    <fieldset className="seg" aria-label={t("mailPreview.view")}>
      {(["phone", "desktop", "text"] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={view === one}
          aria-label={t(`mailPreview.views.${one}`)}
          title={t(`mailPreview.views.${one}`)}
          onClick={() => onView(one)}
        >
          <Icon of={PICTURES[one]} size="sm" />
        </button>
      ))}
    </fieldset>
  );
}

type ShownProps = { view: PreviewView; preview: CampaignPreview; isDark: boolean; hasAllPictures: boolean };

const Shown = memo(function Shown({ view, preview, isDark, hasAllPictures }: ShownProps) {
  if (view === "text") {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused.
      <pre className="code mail-text" tabIndex={0}>
        {preview.text ?? ""}
      </pre>
    );
  }
  const className = isDark ? "dark" : "";
  const frame = <MailFrame html={preview.html ?? ""} className={className} hasAllPictures={hasAllPictures} />;
  const head = <Head preview={preview} />;
  return view === "desktop" ? (
    <ScaledDesk head={head} isDark={isDark}>
      {frame}
    </ScaledDesk>
  ) : (
    <div className={`phone ${className}`}>
      <div className="phone-screen">
        {head}
        {frame}
      </div>
    </div>
  );
});

function Head({ preview: { subject, from } }: { preview: CampaignPreview }) {
  const { t } = useTranslation();
  return (
    <div className="mail-head">
      <b>{subject || t("mailPreview.noSubject")}</b>
      <span>{t("mailPreview.toMe", { from: from.name || from.email })}</span>
    </div>
  );
}

/** A picture of another server is told of by its address; ours are at our own, which the frame shows anyway. */
function showsOthers(html: string): boolean {
  const own = location.origin;
  return [
    ...html.matchAll(/(?:\ssrc\s*=\s*["']?|\sbackground\s*=\s*["']?|url\(\s*["']?)(https?:\/\/[^\s"')>]+)/gi),
  ].some(([, address = ""]) => !address.startsWith(`${own}/`));
}
