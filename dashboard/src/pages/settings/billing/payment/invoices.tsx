import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Invoice } from "../../../../api/openapi.ts";
import { pageQuery } from "../../../../api/queries.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { Listing } from "../../../../kit/tables/listing.tsx";
import { Time } from "../../../../kit/time.tsx";

const route = getRouteApi("/signed-in/settings/billing");

/** So many are three years of months; older ones are in Stripe's portal. */
const SHOWN = 36;

/** What Stripe asked for, as it last was there. */
export function Invoices() {
  const { t } = useTranslation();
  const { cursor: isOlder } = route.useSearch();
  const invoices = useQuery(pageQuery("GET /v1/billing/invoices", { query: { limit: SHOWN } }));
  // Whoever turns the pages of statements looks at those.
  if (isOlder) return null;
  return (
    <div className="stack">
      <h3>{t("invoices.title")}</h3>
      <Listing
        result={invoices}
        unreadable={t("invoices.unreadable")}
        empty={<p className="sm">{t("invoices.none")}</p>}
      >
        {(rows) => <Rows invoices={rows} />}
      </Listing>
    </div>
  );
}

const STATUSES = ["draft", "open", "paid", "uncollectible", "void"] as const;

function Rows({ invoices }: { invoices: readonly Invoice[] }) {
  const { t } = useTranslation();
  const wordOf = (status: string) => {
    const known = STATUSES.find((one) => one === status);
    return known ? t(`invoices.statuses.${known}`) : status;
  };
  return (
    <div className="tw">
      <table className="stacked inset">
        <thead>
          <tr>
            <th>{t("invoices.invoice")}</th>
            <th>{t("invoices.status")}</th>
            <th>{t("invoices.made")}</th>
            <th className="r">{t("invoices.total")}</th>
            <th>
              <span className="sr">{t("invoices.pdf")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invoices.map((invoice) => (
            <tr key={invoice.id}>
              <td className="c-main">
                <InvoiceName invoice={invoice} />
              </td>
              <td data-label={t("invoices.status")}>
                <span className={invoice.status === "open" ? "badge warn" : "badge"}>
                  {wordOf(invoice.status)}
                </span>
              </td>
              <td className="dim" data-label={t("invoices.made")}>
                <Time at={invoice.created_at} day />
              </td>
              <td className="r num" data-label={t("invoices.total")}>
                {formatMoney(invoice.total, invoice.currency)}
              </td>
              <td className="r">
                {invoice.invoice_pdf && (
                  <a
                    className="link sm"
                    href={invoice.invoice_pdf}
                    rel="noreferrer"
                    aria-label={t("invoices.pdfOf", { number: invoice.number ?? "" })}
                  >
                    {t("invoices.pdf")}
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** It leads to the page of Stripe's that shows it, where there is one. */
function InvoiceName({ invoice: { number, hosted_invoice_url: url } }: { invoice: Invoice }) {
  const { t } = useTranslation();
  const name = number ?? t("invoices.draft");
  if (!url) return <span className="med break">{name}</span>;
  return (
    <a className="med break" href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}
