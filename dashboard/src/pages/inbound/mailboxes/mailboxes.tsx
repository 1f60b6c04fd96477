/** The mailboxes that are looked into, and how that goes. */
import "../../../i18n/later/inbound.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Mailbox as MailboxIcon, Pencil, PlugZap, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Mailbox } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { ListPage } from "../../../kit/tables/list-page.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { InboundTabs } from "../inbound-tabs.tsx";
import { EditMailbox, NewMailbox } from "./edit-mailbox.tsx";

const route = getRouteApi("/signed-in/inbound/mailboxes");

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly mailbox: Mailbox } | null;

export function Mailboxes() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const found = useQuery(pageQuery("GET /v1/inbound/mailboxes", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = {
    label: t("inbound.mailboxes.new"),
    icon: MailboxIcon,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-mailbox", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("inbound.mailboxes.title")}
        lead={t("inbound.mailboxes.lead")}
        create={create}
        tools={<InboundTabs />}
        result={found}
        cursor={cursor}
        unreadable={t("inbound.mailboxes.unreadable")}
        none={t("inbound.mailboxes.none")}
        noneText={t("inbound.mailboxes.noneText")}
      >
        {(rows) => <MailboxTable mailboxes={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.what === "new" && <NewMailbox onClose={close} />}
      {open?.what === "edit" && <EditMailbox id={open.mailbox.id} onClose={close} />}
      {open?.what === "delete" && <DeleteMailbox mailbox={open.mailbox} onClose={close} />}
    </>
  );
}

type TableProps = { mailboxes: readonly Mailbox[]; onOpen: (open: Open) => void };

function MailboxTable({ mailboxes, onOpen }: TableProps) {
  const { t } = useTranslation();
  const test = useTest();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("inbound.mailboxes.name")}</th>
            <th>{t("inbound.mailboxes.state")}</th>
            <th>{t("inbound.mailboxes.checked")}</th>
            <th className="num">{t("inbound.mailboxes.taken")}</th>
            <th className="num">{t("inbound.mailboxes.left")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {mailboxes.map((mailbox) => (
            <tr key={mailbox.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med break" dir="auto">
                    {mailbox.name}
                  </span>
                  <span className="sm dim mono break">{t("inbound.mailboxes.address", mailbox)}</span>
                </div>
              </td>
              <td data-label={t("inbound.mailboxes.state")}>
                <State mailbox={mailbox} />
              </td>
              <td className="dim" data-label={t("inbound.mailboxes.checked")}>
                {mailbox.last_checked_at ? (
                  <Time at={mailbox.last_checked_at} />
                ) : (
                  t("inbound.mailboxes.never")
                )}
              </td>
              <td className="num" data-label={t("inbound.mailboxes.taken")}>
                {formatNumber(mailbox.counts.taken)}
              </td>
              <td className="num dim" data-label={t("inbound.mailboxes.left")}>
                {formatNumber(mailbox.counts.left)}
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="inbound:write"
                  name={mailbox.name}
                  items={[
                    { label: t("inbound.mailboxes.test"), icon: PlugZap, run: () => void test(mailbox) },
                    { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", mailbox }) },
                    {
                      label: t("do.delete"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "delete", mailbox }),
                    },
                  ]}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const LOOKS = { waiting: "badge", ok: "badge accent", failing: "badge danger", paused: "badge" } as const;

function State({ mailbox: { state, last_error } }: { mailbox: Mailbox }) {
  const { t } = useTranslation();
  return (
    <div className="stack tight">
      <span>
        <span className={LOOKS[state]}>{t(`inbound.mailboxes.states.${state}`)}</span>
      </span>
      {state === "failing" && last_error && <span className="sm mid break">{last_error.text}</span>}
    </div>
  );
}

function useTest() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return async ({ id }: Mailbox) => {
    try {
      const { ok, text, messages } = await call("POST /v1/inbound/mailboxes/{id}/test", { path: { id } });
      const count = messages ?? 0;
      if (ok) notify(t("inbound.mailboxes.worked", { count, number: formatNumber(count) }));
      else notifyFailure(text ?? "");
      await queries.invalidateQueries({ queryKey: ["inbound"] });
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    }
  };
}

function DeleteMailbox({ mailbox: { id, name }, onClose }: { mailbox: Mailbox; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("inbound.mailboxes.delete.title", { name })}
      lead={t("inbound.mailboxes.delete.lead")}
      action={t("inbound.mailboxes.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/inbound/mailboxes/{id}", { path: { id } });
        await queries.invalidateQueries({ queryKey: ["inbound"] });
        notify(t("inbound.mailboxes.delete.done", { name }));
      }}
    />
  );
}
