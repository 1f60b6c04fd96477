import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../../api/account.ts";
import type { Statement, StatementSource } from "../../../../api/openapi.ts";
import { pageQuery } from "../../../../api/queries.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { Pager } from "../../../../kit/tables/pager.tsx";

/** Of what the statement's mails were: campaigns and automations lead to their reports, which say the same. */
export function StatementProof({ statement, cursor }: { statement: Statement; cursor: string | undefined }) {
  const { t } = useTranslation();
  const { id, mails } = statement;
  const proof = useQuery(
    pageQuery("GET /v1/usage/statements/{id}/proof", { path: { id }, query: cursor ? { cursor } : {} }),
  );
  if (!proof.data)
    return proof.error ? (
      <Failure
        title={t("statements.proofUnreadable")}
        error={proof.error}
        retry={() => void proof.refetch()}
      />
    ) : (
      <SkeletonLines lines={4} />
    );
  const { sources, next_cursor } = proof.data;
  return (
    <div className="stack">
      <div className="row wrap between">
        <h3>{t("statements.proof")}</h3>
        {sources.length > 0 && (
          <a
            className="btn btn-sm btn-quiet"
            href={ofAccount(`/v1/usage/statements/${id}/proof/export`)}
            download
          >
            <Icon of={Download} />
            {t("statements.download")}
          </a>
        )}
      </div>
      <p className="sm dim">
        {mails === 0
          ? t("statements.noProof")
          : t("statements.proofLead", { count: mails, number: formatNumber(mails) })}
      </p>
      {sources.length > 0 && <Sources sources={sources} />}
      <Pager cursor={cursor} nextCursor={next_cursor} />
    </div>
  );
}

function Sources({ sources }: { sources: readonly StatementSource[] }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset">
        <thead>
          <tr>
            <th>{t("statements.source")}</th>
            <th className="r">{t("statements.accepted")}</th>
            <th className="r">{t("statements.inAll")}</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={[source.kind, source.id, source.stream, source.late_of].join()}>
              <td className="c-main">
                <div className="stack tight">
                  <SourceName source={source} />
                  <SourceKind source={source} />
                </div>
              </td>
              <td className="r num" data-label={t("statements.accepted")}>
                {formatNumber(source.accepted)}
              </td>
              <td
                className="r num dim"
                data-label={source.sent_in_all === null ? undefined : t("statements.inAll")}
              >
                {source.sent_in_all !== null && formatNumber(source.sent_in_all)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SourceName({ source: { kind, id, name } }: { source: StatementSource }) {
  const { t } = useTranslation();
  const words = name ?? (id === null ? t(`statements.kinds.${kind}`) : t("statements.deleted"));
  // What was deleted keeps its name in the proof at most, and leads nowhere.
  if (id === null || name === null || (kind !== "campaign" && kind !== "automation"))
    return (
      <span className="med break" dir="auto">
        {words}
      </span>
    );
  return (
    <Link
      to={kind === "campaign" ? "/campaigns/$id" : "/automations/$id"}
      params={{ id }}
      className="med break"
      dir="auto"
    >
      {words}
    </Link>
  );
}

function SourceKind({ source: { kind, id, late_of } }: { source: StatementSource }) {
  const { t } = useTranslation();
  return (
    <>
      {id !== null && <span className="sm dim">{t(`statements.kinds.${kind}`)}</span>}
      {late_of !== null && <span className="sm dim">{t("statements.lateSource")}</span>}
    </>
  );
}
