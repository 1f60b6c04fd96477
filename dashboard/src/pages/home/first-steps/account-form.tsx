/** A form of the checklist that changes the account. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../../api/client.ts";
import type { Account, AccountPatch } from "../../../api/openapi.ts";
import { queryWithEtag } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Form, type Values } from "../../../kit/forms/form.tsx";
import { SkeletonLines } from "../../../kit/states.tsx";

type Props = {
  action: string;
  /** Returns undefined where nothing can be sent yet. */
  patchOf: (values: Values) => AccountPatch | undefined;
  children: (account: Account) => ReactNode;
};

export function AccountForm({ action, patchOf, children }: Props) {
  const queries = useQueryClient();
  const account = useQuery(queryWithEtag("GET /v1/account", {}));
  if (!account.data) return <SkeletonLines lines={3} />;
  const { body, etag } = account.data;
  return (
    <Form
      submit={async (values) => {
        const patch = patchOf(values);
        if (!patch) return;
        await call("PATCH /v1/account", { body: patch, ifMatch: etag });
        await queries.invalidateQueries({ queryKey: ["account"] });
      }}
      onRefused={(error) => {
        // The next try is made on the newest version; what was typed stays in the form.
        if (error.status === 412) void account.refetch();
        return false;
      }}
    >
      {({ busy, note }) => (
        <>
          {children(body)}
          {note}
          <div className="row">
            <Button kind="primary" type="submit" busy={busy}>
              {action}
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}
