import { useTranslation } from "react-i18next";
import { Failure } from "../kit/states.tsx";

/** A fault of ours in a page: the rest stays usable. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  return <Failure title={t("broken.title")} error={error} retry={reset} />;
}
