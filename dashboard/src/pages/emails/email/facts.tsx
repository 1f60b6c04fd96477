import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Paperclip } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { EmailDetail } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatBytes, formatExact, formatList, formatNumber } from "../../../i18n/format.ts";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { TemplateName } from "../template-name.tsx";

export function Facts({ email, messageId }: { email: EmailDetail; messageId: string | undefined }) {
  const { t } = useTranslation();
  const { metadata, tags, attachments, tracking } = email;
  const tracked = [tracking.opens && t("emails.facts.opens"), tracking.clicks && t("emails.facts.clicks")];
  const known = tracked.filter((one) => one !== false);
  return (
    <aside className="one-side" aria-label={t("emails.facts.title")}>
      <section className="stack">
        <h2>{t("emails.facts.title")}</h2>
        <dl className="kv">
          <Fact label={t("emails.facts.from")}>{email.from}</Fact>
          <Fact label={t("emails.facts.to")}>{formatList(email.to)}</Fact>
          <Fact label={t("emails.facts.cc")}>{formatList(email.cc)}</Fact>
          <Fact label={t("emails.facts.bcc")}>{formatList(email.bcc)}</Fact>
          <Fact label={t("emails.facts.replyTo")}>{email.reply_to}</Fact>
          <Fact label={t("emails.facts.accepted")}>{formatExact(email.created_at)}</Fact>
          <Fact label={t("emails.facts.sendAt")}>{email.send_at && formatExact(email.send_at)}</Fact>
          <Fact label={t("emails.columns.template")}>
            {email.template && <TemplateName of={email.template} />}
          </Fact>
          <Fact label={t("emails.facts.transport")}>
            <TransportName id={email.transport_id} />
          </Fact>
          <Fact label={t("emails.facts.tracked")}>
            {known.length > 0 ? formatList(known) : t("emails.facts.untracked")}
          </Fact>
          <Fact label={t("emails.facts.opened")}>{email.opens !== null && formatNumber(email.opens)}</Fact>
          <Fact label={t("emails.facts.clicked")}>{email.clicks !== null && formatNumber(email.clicks)}</Fact>
          <Copied label={t("emails.facts.id")} text={email.id} />
          {messageId && <Copied label={t("emails.facts.messageId")} text={messageId} />}
        </dl>
      </section>
      {tags.length > 0 && (
        <section className="stack">
          <h2>{t("columns.tags")}</h2>
          <div className="row wrap">
            {tags.map((tag) => (
              <Link key={tag} className="badge" to="/emails" search={{ tag }} title={t("emails.sameTag")}>
                <bdi className="trunc">{tag}</bdi>
              </Link>
            ))}
          </div>
        </section>
      )}
      {Object.keys(metadata).length > 0 && (
        <section className="stack">
          <h2>{t("emails.filters.metadata")}</h2>
          <dl className="kv">
            {Object.entries(metadata).map(([name, value]) => (
              <Fact key={name} label={name}>
                <Link
                  className="link-u break"
                  to="/emails"
                  search={{ metadata: { [name]: value } }}
                  title={t("emails.sameMetadata")}
                >
                  <bdi>{value}</bdi>
                </Link>
              </Fact>
            ))}
          </dl>
        </section>
      )}
      {attachments.length > 0 && (
        <section className="stack">
          <h2>{t("emails.attachments")}</h2>
          <ul className="stack tight">
            {attachments.map(({ filename, content_type: type, size }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two attachments may have one name, and the order never changes.
              <li key={at} className="email-attachment">
                <Icon of={Paperclip} size="sm" />
                <span className="stack tight">
                  <bdi className="break med">{filename}</bdi>
                  <span className="xs dim break">
                    {formatBytes(size)} · {type}
                  </span>
                </span>
              </li>
            ))}
          </ul>
          <p className="xs dim">{t("emails.attachmentsText")}</p>
        </section>
      )}
    </aside>
  );
}

/** A fact that there isn't has no line. */
function Fact({ label, children }: { label: string; children: ReactNode }) {
  if (children === null || children === false || children === "") return null;
  return (
    <>
      <dt dir="auto">{label}</dt>
      <dd className="break" dir="auto">
        {children}
      </dd>
    </>
  );
}

function Copied({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation();
  return (
    <>
      <dt>{label}</dt>
      <dd className="stack tight">
        <span className="mono break">{text}</span>
        <span>
          <CopyButton size="sm" kind="quiet" text={text} label={t("emails.facts.copy", { what: label })} />
        </span>
      </dd>
    </>
  );
}

/** The server that the request asked for; without one it is the account's for this kind of mail. */
function TransportName({ id }: { id: string | null }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/transports/{id}", { path: { id: id ?? "" } }),
    enabled: id !== null,
    retry: false,
  });
  if (id === null) return t("emails.facts.usualTransport");
  if (!data) return <span className="mono">{id}</span>;
  return (
    <Link className="link-u" to="/settings/transports/$id" params={{ id }}>
      <bdi>{data.name}</bdi>
    </Link>
  );
}
