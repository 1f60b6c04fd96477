/** A part of the account's settings. All parts change the same object, each its own fields of it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../api/client.ts";
import type { Account, AccountPatch } from "../../api/openapi.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { EditForm } from "../../kit/forms/edit-form.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify } from "../../kit/toasts.tsx";

const accountQuery = queryWithEtag("GET /v1/account", {});

/** Changes the account, and lets everything that shows it know. */
export function useSaveAccount() {
  const queries = useQueryClient();
  return async (body: AccountPatch, ifMatch?: string) => {
    const saved = await request("PATCH /v1/account", { body, ifMatch });
    // Whoever opens another part of the settings begins with this version, and not with one that is refused.
    queries.setQueryData(accountQuery.queryKey, { body: saved.body, etag: saved.etag });
    void queries.invalidateQueries({ queryKey: ["account"] });
    return saved;
  };
}

type AccountFormProps = {
  title: string;
  lead: string;
  patchOf: (values: Values) => AccountPatch;
  /** The words for the fields, by their names in the patch. */
  labels: Readonly<Record<string, string>>;
  children: (account: Account, touch: () => void) => ReactNode;
};

export function AccountForm({ title, lead, patchOf, labels, children }: AccountFormProps) {
  const { t } = useTranslation();
  const account = useQuery(accountQuery);
  const save = useSaveAccount();
  return (
    <section className="stack-4">
      <div>
        <h2>{title}</h2>
        <p className="sm dim">{lead}</p>
      </div>
      {account.data ? (
        <EditForm
          found={account.data}
          patchOf={patchOf}
          save={save}
          read={() => request("GET /v1/account", {})}
          labelOf={(name) => labels[name] ?? name}
          onSaved={() => notify(t("settings.saved"))}
        >
          {children}
        </EditForm>
      ) : account.error ? (
        <Failure
          title={t("settings.unreadable")}
          error={account.error}
          retry={() => void account.refetch()}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </section>
  );
}
