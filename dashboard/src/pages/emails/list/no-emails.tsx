/** There is no mail yet: how a program sends the first one, by the API or by SMTP. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookOpen, KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useHasFeature } from "../../../api/plan-features.ts";
import { query, sessionQuery } from "../../../api/queries.ts";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { NotInPlan } from "../../../shell/not-in-plan.tsx";

export function NoEmails() {
  const { t } = useTranslation();
  return (
    <div className="no-emails">
      <div className="stack tight">
        <h2>{t("emails.none")}</h2>
        <p className="mid">{t("emails.noneText")}</p>
      </div>
      <ByApi />
      <BySmtp />
    </div>
  );
}

/** In a shell, a text in single quotes ends at the next one. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function ByApi() {
  const { t } = useTranslation();
  const account = useQuery(query("GET /v1/account", {}));
  const session = useQuery(sessionQuery);
  const mail = {
    from: account.data?.from_email || "billing@acme.example",
    to: [session.data?.user.email ?? "ada@example.com"],
    subject: t("emails.example.subject"),
    html: t("emails.example.html"),
    tags: ["receipt"],
    metadata: { order: "4711" },
  };
  const lines = Object.entries(mail).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
  const command = [
    `curl ${window.location.origin}/v1/emails \\`,
    '  -H "Authorization: Bearer $POSTRIDER_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    '  -H "Idempotency-Key: receipt-4711" \\',
    `  -d ${quoted(`{\n${lines.join(",\n")}\n  }`)}`,
  ].join("\n");
  return (
    <section className="stack">
      <h3>{t("emails.byApi")}</h3>
      <p className="sm mid">{t("emails.byApiText")}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard. */}
      <pre className="well code emails-command" tabIndex={0}>
        {command}
      </pre>
      <div className="row wrap">
        <CopyButton size="sm" text={command} />
        <Link to="/api-keys" className="btn btn-sm">
          <Icon of={KeyRound} />
          {t("emails.makeKey")}
        </Link>
        <a className="btn btn-sm" href="/docs/#tag/emails">
          <Icon of={BookOpen} />
          {t("emails.reference")}
        </a>
      </div>
    </section>
  );
}

/** Where submission is off there is nothing to tell a program. */
function BySmtp() {
  const { t } = useTranslation();
  const { data } = useQuery(query("GET /v1/instance", {}));
  const submission = data?.submission;
  const isIncluded = useHasFeature("smtp_submission");
  if (!submission) return null;
  if (!isIncluded) return <NotInPlan feature="smtp_submission" />;
  const { host, port, tls_port: tlsPort, tls } = submission;
  return (
    <section className="stack">
      <h3>{t("emails.bySmtp")}</h3>
      <p className="sm mid">{t(tls ? "emails.bySmtpText" : "emails.bySmtpHere")}</p>
      <dl className="kv">
        <dt>{t("emails.smtp.host")}</dt>
        <dd className="mono">{host}</dd>
        <dt>{t("emails.smtp.port")}</dt>
        <dd>
          <span className="mono">{port}</span> {tls && t("emails.smtp.starttls")}
        </dd>
        {tlsPort !== null && (
          <>
            <dt>{t("emails.smtp.tlsPort")}</dt>
            <dd>
              <span className="mono">{tlsPort}</span> {t("emails.smtp.implicit")}
            </dd>
          </>
        )}
        <dt>{t("emails.smtp.user")}</dt>
        <dd className="mono">{t("emails.smtp.anyUser")}</dd>
        <dt>{t("emails.smtp.password")}</dt>
        <dd>{t("emails.smtp.key")}</dd>
      </dl>
    </section>
  );
}
