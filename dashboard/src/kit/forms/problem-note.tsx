import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ApiError } from "../../api/problem.ts";
import { Icon } from "../icon.tsx";
import { sentence } from "../sentence.ts";

/** Our own words for a code come first; what the service said stands in where there are none. */
export function useProblemText(): (error: ApiError) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    const key = `problem.${error.code}`;
    if (i18n.exists(key)) return t(key as "problem.offline");
    const faults = error.faults.map(({ detail }) => sentence(detail)).join(" ");
    return faults || sentence(error.message) || t("problem.unexpected");
  };
}

/** What the person can't mend alone is told with a reference, for whoever runs the service. */
const needsReference = ({ status }: ApiError) => status >= 500 || status === 413 || status === 429;

export function ProblemNote({ error }: { error: ApiError }) {
  const textOf = useProblemText();
  const { t } = useTranslation();
  // The dialog to sign in again says it, and after that the same can be sent once more.
  if (error.code === "unauthorized") return null;
  return (
    <div className="note danger" role="alert">
      <Icon of={CircleAlert} />
      <div>
        {textOf(error)}
        {error.requestId && needsReference(error) && (
          <div className="mono xs">{t("problem.reference", { code: error.code, id: error.requestId })}</div>
        )}
      </div>
    </div>
  );
}
