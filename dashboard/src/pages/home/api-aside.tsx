import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { query } from "../../api/queries.ts";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";

/** The same by the API, for whoever would rather. */
export function ApiAside() {
  const { t } = useTranslation();
  const { data: lists } = useQuery(query("GET /v1/lists", { query: { limit: 1 } }));
  const command = [
    t("first.apiComment"),
    `curl ${window.location.origin}/v1/subscribers \\`,
    '  -H "Authorization: Bearer $POSTRIDER_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"email": "ada@example.com",`,
    `       "list_id": "${lists?.data[0]?.id ?? "lst_…"}"}'`,
  ].join("\n");
  return (
    <section className="stack first-aside">
      <div className="sect-h">
        <h2>{t("first.apiTitle")}</h2>
        <a className="link" href="/docs/">
          {t("first.apiReference")}
        </a>
      </div>
      <p className="sm mid">{t("first.apiText")}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard. */}
      <pre className="term" tabIndex={0}>
        {command}
      </pre>
      <div className="row">
        <CopyButton size="sm" text={command} />
        <Link to="/api-keys" className="btn btn-sm">
          <Icon of={KeyRound} />
          {t("first.makeKey")}
        </Link>
      </div>
    </section>
  );
}
