import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";

/** Asks before a page with changes is left, by a link, by "back" or by closing the tab. */
export function LeaveGuard({ isNeeded }: { isNeeded: () => boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded() && isElsewhere(current, next),
    enableBeforeUnload: isNeeded,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      title={t("leave.title")}
      lead={t("leave.lead")}
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

type Place = { readonly pathname: string; readonly search: object };

/** The link that skips to the content changes the fragment only, and nothing is left by it. */
function isElsewhere(current: Place, next: Place): boolean {
  return current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search);
}
