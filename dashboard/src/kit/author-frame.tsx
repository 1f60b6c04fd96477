/** What an author wrote, shown in a frame where nothing runs: the service's answer brings the policy, and `sandbox` is the same again. */
import { ImageIcon, Monitor, Moon, Smartphone } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./author-frame.css";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export type FrameLook = {
  readonly width?: "phone" | undefined;
  readonly dark?: true | undefined;
};

type AuthorFrameProps = FrameLook & {
  title: string;
  src: string;
  /** Links lead somewhere only in the sandbox's inbox, and there into a window of their own. */
  links?: "open" | "dead";
  className?: string;
};

export function AuthorFrame({ title, src, width, dark, links = "dead", className }: AuthorFrameProps) {
  return (
    <iframe
      // A frame that is told another colour scheme keeps the old one, so it is made anew.
      key={`${src} ${dark}`}
      className={["author-frame", width, dark && "dark", className].filter(Boolean).join(" ")}
      title={title}
      sandbox={links === "open" ? "allow-popups allow-popups-to-escape-sandbox" : ""}
      src={src}
    />
  );
}

type ToolsProps = {
  look: FrameLook;
  onLook: (look: FrameLook) => void;
  hasAllPictures: boolean;
  onPictures: () => void;
};

/** Pictures of other servers, the width of a phone, and the dark. */
export function AuthorFrameTools({ look, onLook, hasAllPictures, onPictures }: ToolsProps) {
  const { t } = useTranslation();
  return (
    <>
      {!hasAllPictures && (
        <Button size="sm" kind="quiet" icon={ImageIcon} onClick={onPictures}>
          {t("inbox.pictures")}
        </Button>
      )}
      <fieldset className="seg" aria-label={t("inbox.width")}>
        {(["phone", undefined] as const).map((width) => (
          <button
            key={width ?? "wide"}
            type="button"
            aria-pressed={look.width === width}
            aria-label={t(width ? "inbox.phone" : "inbox.desktop")}
            onClick={() => onLook({ ...look, width })}
          >
            <Icon of={width ? Smartphone : Monitor} size="sm" />
          </button>
        ))}
      </fieldset>
      <Button
        size="sm"
        kind="quiet"
        icon={Moon}
        aria-label={t("inbox.dark")}
        aria-pressed={look.dark === true}
        onClick={() => onLook({ ...look, dark: look.dark ? undefined : true })}
      />
    </>
  );
}
