import {
  CircleCheck,
  CircleQuestionMark,
  CircleX,
  type LucideIcon,
  TriangleAlert,
  Wrench,
} from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../kit/icon.tsx";

type VerdictStatus = "pass" | "warn" | "fail" | "unknown";

const LOOKS: Readonly<Record<VerdictStatus, { icon: LucideIcon; className: string }>> = {
  pass: { icon: CircleCheck, className: "c-accent" },
  warn: { icon: TriangleAlert, className: "c-warn" },
  fail: { icon: CircleX, className: "c-danger" },
  unknown: { icon: CircleQuestionMark, className: "dim" },
};

type VerdictProps = {
  status: VerdictStatus;
  title: string;
  evidence: string;
  remedy: string | null;
  /** Stands at the end of the title's line. */
  aside?: ReactNode;
  children?: ReactNode;
};

/** One thing that was looked at: how it is, what was found, and what to do about it. */
export function Verdict({ status, title, evidence, remedy, aside, children }: VerdictProps) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  return (
    <li className="verdict">
      <span className={className}>
        <Icon of={icon} />
        <span className="sr">{t(`deliverability.verdicts.${status}`)}</span>
      </span>
      <span className="med break">{title}</span>
      <span className="verdict-aside">{aside}</span>
      <div className="verdict-more">
        {evidence && <p className="sm mid evidence">{evidence}</p>}
        {remedy && <Remedy text={remedy} />}
        {children}
      </div>
    </li>
  );
}

/** What to do about it. */
export function Remedy({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <p className="sm row top">
      <Icon of={Wrench} size="sm" />
      <span className="break">
        <span className="sr">{t("deliverability.remedy")}: </span>
        {text}
      </span>
    </p>
  );
}
