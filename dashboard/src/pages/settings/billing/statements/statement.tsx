/** One statement: its lines, and the proof of what its mails were. */
import "../../../../i18n/later/settings/billing.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../../api/account.ts";
import { useMay } from "../../../../api/may.ts";
import type { Statement, StatementLine } from "../../../../api/openapi.ts";
import { query } from "../../../../api/queries.ts";
import { formatDay, formatList, formatNumber } from "../../../../i18n/format.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { StatementProof } from "./proof.tsx";

const route = getRouteApi("/signed-in/settings/billing/statements/$id");

export function StatementPage() {
  const { t } = useTranslation();
  const may = useMay();
  const { id } = route.useParams();
  const { cursor } = route.useSearch();
  const found = useQuery(query("GET /v1/usage/statements/{id}", { path: { id } }));
  if (!found.data)
    return found.error ? (
      <Failure title={t("statements.oneUnreadable")} error={found.error} retry={() => void found.refetch()} />
    ) : (
      <SkeletonLines />
    );
  const statement = found.data;
  return (
    <section className="stack-6">
      <Head statement={statement} />
      <Lines statement={statement} />
      {may("usage:read") && <StatementProof statement={statement} cursor={cursor} />}
    </section>
  );
}

function Head({ statement: { id, period, state, closed_at } }: { statement: Statement }) {
  const { t } = useTranslation();
  return (
    <div className="row wrap between">
      <div className="stack tight grow usage-lead">
        <Link to="/settings/billing" className="link sm">
          {t("statements.back")}
        </Link>
        <div className="row wrap">
          <h2>{t("billing.span", { from: formatDay(period.from), to: formatDay(period.to) })}</h2>
          <span className={state === "open" ? "badge" : "badge accent"}>
            {t(`statements.states.${state}`)}
          </span>
        </div>
        <p className="sm dim">
          {closed_at === null
            ? t("statements.openNote")
            : t("statements.closedNote", { day: formatDay(closed_at) })}
        </p>
      </div>
      <a
        className="btn"
        href={ofAccount(`/v1/usage/statements/${id}/document`)}
        target="_blank"
        rel="noreferrer"
      >
        <Icon of={Printer} />
        {t("statements.print")}
      </a>
    </div>
  );
}

function Lines({ statement }: { statement: Statement }) {
  const { t } = useTranslation();
  const { lines, currency, total } = statement;
  return (
    <div className="tw">
      <table className="stacked inset">
        <caption className="sr">{t("statements.lines")}</caption>
        <thead>
          <tr>
            <th>{t("statements.line")}</th>
            <th className="r">{t("statements.mails")}</th>
            <th className="r">{t("statements.amount")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a statement's lines never change places.
            <tr key={at}>
              <td className="c-main">
                <LineName line={line} statement={statement} />
              </td>
              <td className="r num" data-label={line.mails === undefined ? undefined : t("statements.mails")}>
                {line.mails !== undefined && formatNumber(line.mails)}
              </td>
              <td className="r num" data-label={t("statements.amount")}>
                {formatMoney(line.amount, currency)}
              </td>
            </tr>
          ))}
          <tr>
            <td className="c-main">
              <b className="strong">{t("statements.total")}</b>
            </td>
            <td className="r num" data-label={t("statements.mails")}>
              {formatNumber(statement.mails)}
            </td>
            <td className="r num" data-label={t("statements.amount")}>
              <b className="strong">{formatMoney(total, currency)}</b>
            </td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

type LineNameProps = { line: StatementLine; statement: Statement };

function LineName({ line, statement }: LineNameProps) {
  const { t } = useTranslation();
  switch (line.kind) {
    case "base":
      return (
        <span className="break" dir="auto">
          {t(statement.is_trial ? "statements.trialBase" : "statements.base", { plan: statement.plan_name })}
        </span>
      );
    case "credit":
      return t("statements.credit");
    case "tax":
      return t("statements.tax", { label: line.label, rate: line.rate });
    default:
      return <MailLine line={line} />;
  }
}

/** What was sent, and how many of it the plan includes, credits paid for, and are charged. */
function MailLine({ line }: { line: StatementLine }) {
  const { t } = useTranslation();
  const { stream = "campaign", statement_id: earlier } = line;
  const name = t(`servers.streams.${stream}`);
  const parts = (["included", "credited", "charged"] as const).flatMap((part) => {
    const count = line[part] ?? 0;
    return count > 0 ? [t(`statements.${part}`, { number: formatNumber(count) })] : [];
  });
  return (
    <div className="stack tight">
      <span>{line.kind === "late" ? t("statements.late", { stream: name }) : name}</span>
      {parts.length > 0 && <span className="sm dim">{formatList(parts)}</span>}
      {earlier && (
        <Link to="/settings/billing/statements/$id" params={{ id: earlier }} className="link sm">
          {t("statements.lateLink")}
        </Link>
      )}
    </div>
  );
}
