import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiError, asApiError } from "../api/problem.ts";
import { Failure } from "../kit/states.tsx";
import { NOT_LOADED } from "../lazy-page.ts";

/** A fault of ours in a page, or one that couldn't be loaded: the rest stays usable. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  const router = useRouter();
  if (asApiError(error).code === NOT_LOADED) {
    const reload = () => window.location.reload();
    return <Failure title={t("broken.notLoaded")} error={error} retry={reload} action={t("do.reload")} />;
  }
  // What the router asks before a page, such as for the session, is asked again too.
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const title = error instanceof ApiError ? t("broken.unreadable") : t("broken.title");
  return <Failure title={title} error={error} retry={retry} />;
}
