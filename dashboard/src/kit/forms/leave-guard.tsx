import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";
import { Dialog } from "../overlays/dialog.tsx";

type Place = { readonly pathname: string; readonly search: object };

type LeaveQuestionProps = {
  /** Whether this way out is asked about; what needs saving may be saved meanwhile. */
  shouldAsk: (current: Place, next: Place) => boolean | Promise<boolean>;
  /** Whether the browser asks, in its own words, where the tab is closed. */
  isNeeded: () => boolean;
  title: string;
  lead: string;
};

/** Asks before a page is left, by a link, by "back" or by closing the tab. */
export function LeaveQuestion({ shouldAsk, isNeeded, title, lead }: LeaveQuestionProps) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => shouldAsk(current, next),
    enableBeforeUnload: isNeeded,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      title={title}
      lead={lead}
      onClose={blocker.reset}
      footer={
        <>
          <Button kind="quiet" onClick={blocker.proceed}>
            {t("leave.action")}
          </Button>
          <Button kind="primary" onClick={blocker.reset}>
            {t("leave.stay")}
          </Button>
        </>
      }
    />
  );
}

/** The same for a page whose changes are lost with it. */
export function LeaveGuard({ isNeeded }: { isNeeded: () => boolean }) {
  const { t } = useTranslation();
  return (
    <LeaveQuestion
      shouldAsk={(current, next) => isNeeded() && isElsewhere(current, next)}
      isNeeded={isNeeded}
      title={t("leave.title")}
      lead={t("leave.lead")}
    />
  );
}

/** The link that skips to the content changes the fragment only, and nothing is left by it. */
function isElsewhere(current: Place, next: Place): boolean {
  return current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search);
}
