/** What stands in place of data: while it comes, where there is none, and where it couldn't be read. */
import { CircleAlert, RefreshCw } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { asApiError } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { useProblemText } from "./forms/problem-note.tsx";
import { Icon } from "./icon.tsx";

export function Empty({ title, text, children }: { title: string; text: ReactNode; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p className="mid">{text}</p>
      {children && <div className="row wrap centre">{children}</div>}
    </div>
  );
}

/** What happened, what can be done, and the code and request id to copy. */
export function Failure({
  title,
  error,
  retry,
  action,
}: {
  title: string;
  error: unknown;
  retry: () => void;
  /** The verb on the button, where it isn't "Try again". */
  action?: string;
}) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const problem = asApiError(error);
  const details = [problem.code, problem.requestId].filter(Boolean).join(" · ");
  return (
    <div className="empty" role="alert">
      <span className="c-danger">
        <Icon of={CircleAlert} size="lg" />
      </span>
      <h2>{title}</h2>
      <p className="mid">{textOf(problem)}</p>
      <div className="row wrap centre">
        <Button kind="primary" icon={RefreshCw} onClick={retry}>
          {action ?? t("do.tryAgain")}
        </Button>
        <CopyButton text={details} label={t("do.copyDetails")} />
      </div>
      <p className="xs dim mono">{details}</p>
    </div>
  );
}

const NOTHING_BELOW_MS = 150;

/** Nothing is shown for a wait that nobody notices; then the shape of what comes. */
function Skeleton({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), NOTHING_BELOW_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <div role="status" aria-label={t("app.loading")}>
      {children}
    </div>
  );
}

export function SkeletonLines({ lines = 8 }: { lines?: number }) {
  return (
    <Skeleton>
      <div className="skeleton-lines">
        {Array.from({ length: lines }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move.
          <div key={at} className="skel" />
        ))}
      </div>
    </Skeleton>
  );
}
