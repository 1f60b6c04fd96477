/** A mail in each of the ways in which it is looked at: on a phone, on a desk, and as text. */
import { AlignLeft, Monitor, Smartphone } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignPreview } from "../../../../api/openapi.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { MailFrame } from "./mail-frame.tsx";
import { ScaledDesk } from "./scaled-desk.tsx";
import type { PreviewView } from "./search.ts";

const PICTURES = { phone: Smartphone, desktop: Monitor, text: AlignLeft };

export function Views({ view, onView }: { view: PreviewView; onView: (view: PreviewView) => void }) {
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

/** What is shown of a mail. Who sends a template is known only when it is sent. */
type Mail = Pick<CampaignPreview, "subject" | "html" | "text"> & Partial<Pick<CampaignPreview, "from">>;
type ShownProps = { view: PreviewView; mail: Mail; isDark: boolean; hasAllPictures: boolean };

export const ShownMail = memo(function ShownMail({ view, mail, isDark, hasAllPictures }: ShownProps) {
  if (view === "text") {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused.
      <pre className="code mail-text" tabIndex={0}>
        {mail.text ?? ""}
      </pre>
    );
  }
  const className = isDark ? "dark" : "";
  const frame = <MailFrame html={mail.html ?? ""} className={className} hasAllPictures={hasAllPictures} />;
  const head = <Head mail={mail} />;
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

function Head({ mail: { subject, from } }: { mail: Mail }) {
  const { t } = useTranslation();
  return (
    <div className="mail-head">
      <b>{subject || t("mailPreview.noSubject")}</b>
      {from && <span>{t("mailPreview.toMe", { from: from.name || from.email })}</span>}
    </div>
  );
}

/** A picture of another server is told of by its address; ours are at our own, which the frame shows anyway. */
export function showsOthers(html: string): boolean {
  const own = location.origin;
  return [
    ...html.matchAll(/(?:\ssrc\s*=\s*["']?|\sbackground\s*=\s*["']?|url\(\s*["']?)(https?:\/\/[^\s"')>]+)/gi),
  ].some(([, address = ""]) => !address.startsWith(`${own}/`));
}
