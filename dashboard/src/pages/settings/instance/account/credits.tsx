import { useQuery } from "@tanstack/react-query";
import { Plus, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Credit, InstanceAccount } from "../../../../api/openapi.ts";
import { pageQuery } from "../../../../api/queries.ts";
import { Button } from "../../../../kit/button.tsx";
import { Listing } from "../../../../kit/tables/listing.tsx";
import { Pager } from "../../../../kit/tables/pager.tsx";
import { RowMenu } from "../../../../kit/tables/row-menu.tsx";
import { Time } from "../../../../kit/time.tsx";
import { GiveCredit, TakeBack, useCreditText } from "./credit-forms.tsx";

type Open = { readonly what: "give" } | { readonly what: "take-back"; readonly credit: Credit } | null;

export function AccountCredits({
  account,
  cursor,
}: {
  account: InstanceAccount;
  cursor: string | undefined;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const credits = useQuery(
    pageQuery("GET /v1/instance/accounts/{id}/credits", {
      path: { id: account.id },
      query: cursor ? { cursor } : {},
    }),
  );
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div className="grow usage-lead">
          <h3>{t("credits.title")}</h3>
          <p className="sm dim">{t("credits.lead")}</p>
        </div>
        <Button icon={Plus} onClick={() => setOpen({ what: "give" })}>
          {t("credits.give")}
        </Button>
      </div>
      <Listing
        result={credits}
        unreadable={t("credits.unreadable")}
        empty={<p className="sm">{t("credits.none")}</p>}
      >
        {(rows, page) => (
          <>
            <CreditTable credits={rows} takeBack={(credit) => setOpen({ what: "take-back", credit })} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {open?.what === "give" && <GiveCredit account={account} onClose={close} />}
      {open?.what === "take-back" && <TakeBack account={account} credit={open.credit} onClose={close} />}
    </section>
  );
}

type CreditTableProps = { credits: readonly Credit[]; takeBack: (credit: Credit) => void };

function CreditTable({ credits, takeBack }: CreditTableProps) {
  const { t } = useTranslation();
  const textOf = useCreditText();
  // One whose reversal stands on another page is refused by the answer.
  const isTakenBack = ({ id }: Credit) => credits.some(({ reverses }) => reverses === id);
  const mayBe = (credit: Credit) => credit.reverses === null && !isTakenBack(credit);
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("credits.what")}</th>
            <th>{t("credits.reason")}</th>
            <th>{t("credits.when")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {credits.map((credit) => (
            <tr key={credit.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med num nowrap">{textOf(credit)}</span>
                  {!mayBe(credit) && (
                    <span className="xs dim">
                      {t(credit.reverses === null ? "credits.isTakenBack" : "credits.isReversal")}
                    </span>
                  )}
                </div>
              </td>
              <td data-label={t("credits.reason")}>
                <span className="break" dir="auto">
                  {credit.reason}
                </span>
              </td>
              <td className="dim nowrap" data-label={t("credits.when")}>
                <Time at={credit.created_at} />
              </td>
              <td className="r c-menu">
                {mayBe(credit) && (
                  <RowMenu
                    name={textOf(credit)}
                    items={[{ label: t("credits.takeBack"), icon: Undo2, run: () => takeBack(credit) }]}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
