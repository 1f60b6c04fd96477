import { useTranslation } from "react-i18next";
import { asApiError } from "../api/problem.ts";
import { Failure } from "../kit/states.tsx";
import { NOT_LOADED } from "../lazy-page.ts";

/** A fault of ours in a page, or one that couldn't be loaded: the rest stays usable. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  if (asApiError(error).code === NOT_LOADED) {
    const reload = () => window.location.reload();
    return <Failure title={t("broken.notLoaded")} error={error} retry={reload} action={t("do.reload")} />;
  }
  return <Failure title={t("broken.title")} error={error} retry={reset} />;
}
