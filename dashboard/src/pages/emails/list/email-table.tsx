import { Link } from "@tanstack/react-router";
import { Paperclip } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Email } from "../../../api/openapi.ts";
import { formatExact, formatList, formatWhen } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRowKeys } from "../../../shell/row-keys.ts";
import { EmailState } from "../state.tsx";
import { TemplateName } from "../template-name.tsx";

const MOST_TAGS = 2;

export function EmailTable({ rows }: { rows: readonly Email[] }) {
  const { t } = useTranslation();
  const body = useRowKeys();
  return (
    <div className="tw">
      <table className="table-edge email-table">
        <thead>
          <tr>
            <th className="c-main">{t("emails.columns.to")}</th>
            <th className="c-subject">{t("emails.columns.subject")}</th>
            <th className="c-state">{t("emails.columns.status")}</th>
            <th className="c-tags">{t("emails.columns.tags")}</th>
            <th className="c-template">{t("emails.columns.template")}</th>
            <th className="num c-when">{t("emails.columns.when")}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: Email }) {
  const { t } = useTranslation();
  const { id, subject, status, template, attachments, send_at: planned } = row;
  return (
    <tr>
      <td className="c-main">
        <Link to="/emails/$id" params={{ id }} className="med trunc" dir="auto" data-row>
          <Recipients row={row} />
        </Link>
      </td>
      <td className="c-subject">
        <span className="email-subject">
          <span className={subject === null ? "trunc dim" : "trunc"} dir="auto">
            {subject === null ? t("emails.notKept") : subject || t("emails.noSubject")}
          </span>
          {attachments.length > 0 && (
            <span className="dim" title={t("emails.attached", { count: attachments.length })}>
              <Icon of={Paperclip} size="sm" />
              <span className="sr">{t("emails.attached", { count: attachments.length })}</span>
            </span>
          )}
        </span>
      </td>
      <td className="c-state">
        <EmailState status={status} />
      </td>
      <td className="c-tags">
        <Tags tags={row.tags} />
      </td>
      <td className="c-template">
        {template ? <TemplateName of={template} /> : <span className="dim">–</span>}
      </td>
      <td className="num dim c-when">
        {status === "scheduled" && planned ? (
          <time dateTime={planned} title={formatExact(planned)}>
            {t("emails.plannedFor", { time: formatWhen(planned) })}
          </time>
        ) : (
          <Time at={row.created_at} />
        )}
      </td>
    </tr>
  );
}

function Recipients({ row }: { row: Email }) {
  const { t } = useTranslation();
  const known = row.recipients.flatMap(({ email }) => (email === null ? [] : [email]));
  const [first] = known;
  if (first === undefined)
    return <span className="dim">{row.from === null ? t("emails.notKept") : t("emails.erased")}</span>;
  const more = row.recipients.length - 1;
  return (
    <span title={known.length > 1 ? formatList(known) : undefined}>
      {more === 0 ? first : t("emails.andMore", { first, count: more })}
    </span>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation();
  if (tags.length === 0) return <span className="dim hide-s">–</span>;
  return (
    <span className="row tags">
      {tags.slice(0, MOST_TAGS).map((tag) => (
        <span key={tag} className="badge trunc" dir="auto">
          {tag}
        </span>
      ))}
      {tags.length > MOST_TAGS && (
        <span className="xs dim" title={formatList(tags)}>
          {t("emails.moreTags", { count: tags.length - MOST_TAGS })}
        </span>
      )}
    </span>
  );
}
