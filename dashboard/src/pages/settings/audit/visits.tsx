import "../../../i18n/later/settings/instance.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { pageQuery } from "../../../api/queries.ts";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Time } from "../../../kit/time.tsx";

/** The newest are enough here; a program reads the others. */
const SHOWN = 10;

/** When whoever runs the service looked into the account, and why. It isn't there where nobody did. */
export function Visits() {
  const { t } = useTranslation();
  const visits = useQuery(pageQuery("GET /v1/visits", { query: { limit: SHOWN } }));
  if (!visits.error && !visits.data?.data.length) return null;
  return (
    <section className="stack-4">
      <div>
        <h3>{t("visits.title")}</h3>
        <p className="sm dim">{t("visits.lead")}</p>
      </div>
      <Listing result={visits} unreadable={t("visits.unreadable")} empty={null}>
        {(rows) => (
          <div className="tw">
            <table className="stacked inset">
              <thead>
                <tr>
                  <th>{t("visits.reason")}</th>
                  <th>{t("visits.when")}</th>
                  <th>{t("visits.until")}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ id, reason, created_at, expires_at }) => (
                  <tr key={id}>
                    <td className="c-main break" dir="auto">
                      {reason}
                    </td>
                    <td className="dim" data-label={t("visits.when")}>
                      <Time at={created_at} />
                    </td>
                    <td className="dim" data-label={t("visits.until")}>
                      <Time at={expires_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Listing>
    </section>
  );
}
