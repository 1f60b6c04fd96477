/** Pages by cursor: the address holds the place, and the way back is kept beside it in the browser's history. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The cursors of the pages before this one; the first page has none and is the empty text. */
    readonly trail?: readonly string[];
  }
}

type PagerProps = {
  cursor: string | undefined;
  nextCursor: string | null | undefined;
  /** Fetches a page ahead of its being asked for. */
  prefetch?: (cursor: string) => void;
};

export function Pager({ cursor, nextCursor, prefetch }: PagerProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const trail = useLocation({ select: ({ state }) => state.trail }) ?? (cursor ? [""] : []);
  if (!cursor && !nextCursor) return null;

  const go = (place: string | undefined, newTrail: readonly string[]) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, cursor: place || undefined }),
      state: { trail: newTrail },
    } as Parameters<typeof navigate>[0]);
  return (
    <nav className="pager" aria-label={t("table.pages")}>
      <span className="dim sm hide-s">{t("table.stable")}</span>
      <span className="grow" />
      <Button
        icon={ArrowLeft}
        disabled={trail.length === 0}
        onClick={() => go(trail.at(-1), trail.slice(0, -1))}
      >
        {t("table.newer")}
      </Button>
      <Button
        icon={ArrowRight}
        disabled={!nextCursor}
        onPointerEnter={() => nextCursor && prefetch?.(nextCursor)}
        onClick={() => nextCursor && go(nextCursor, [...trail, cursor ?? ""])}
      >
        {t("table.older")}
      </Button>
    </nav>
  );
}
