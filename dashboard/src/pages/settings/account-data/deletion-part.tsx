import { useQuery, useQueryClient } from "@tanstack/react-query";
import { OctagonAlert, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Account, AccountDeletion } from "../../../api/openapi.ts";
import { ApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatFullDate, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";

const GRACE_MS = 14 * 24 * 3_600_000;
const deletionQuery = query("GET /v1/account/deletion", {});

/** Nobody has asked for it where the service knows of none. */
async function readDeletion(): Promise<AccountDeletion | null> {
  try {
    return await call("GET /v1/account/deletion", {});
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export function DeletionPart() {
  const { t } = useTranslation();
  const account = useQuery(query("GET /v1/account", {}));
  const deletion = useQuery({ queryKey: deletionQuery.queryKey, queryFn: readDeletion });
  const [isAsking, setAsking] = useState(false);
  const error = account.error ?? deletion.error;
  if (error) {
    const retry = () => void Promise.all([account.refetch(), deletion.refetch()]);
    return <Failure title={t("accountData.deletion.unreadable")} error={error} retry={retry} />;
  }
  if (!account.data || deletion.data === undefined) return <SkeletonLines lines={3} />;
  return (
    <section className="stack-4">
      <div>
        <h2>{t("accountData.deletion.title")}</h2>
        <p className="sm dim">{t("accountData.deletion.lead")}</p>
      </div>
      {deletion.data ? (
        <Pending deletion={deletion.data} />
      ) : (
        <div>
          <Button kind="danger" icon={Trash2} onClick={() => setAsking(true)}>
            {t("accountData.deletion.start")}
          </Button>
        </div>
      )}
      {isAsking && <DeleteDialog account={account.data} onClose={() => setAsking(false)} />}
    </section>
  );
}

/** The line at the top of every page is about the account, and follows it. */
function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["account"] });
}

function Pending({ deletion }: { deletion: AccountDeletion }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const isRunning = deletion.status === "running";
  const takeBack = useAct(async () => {
    await call("DELETE /v1/account/deletion", {});
    await refresh();
    notify(t("accountData.deletion.takenBack"));
  });
  return (
    <>
      <div className="note danger" role="status">
        <Icon of={OctagonAlert} />
        <span className="grow">
          <b>
            {isRunning
              ? t("accountData.deletion.running")
              : t("accountData.deletion.pending", { date: formatTime(deletion.due_at) })}
          </b>{" "}
          {isRunning ? t("accountData.deletion.runningMore") : t("accountData.deletion.pendingMore")}
        </span>
      </div>
      {!isRunning && (
        <div>
          <Button kind="primary" icon={Undo2} busy={takeBack.isBusy} onClick={takeBack.run}>
            {t("accountData.deletion.takeBack")}
          </Button>
        </div>
      )}
    </>
  );
}

function DeleteDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { name } = account;
  const date = formatFullDate(new Date(Date.now() + GRACE_MS).toISOString());
  return (
    <FormDialog
      title={t("accountData.deletion.dialogTitle", { name })}
      lead={t("accountData.deletion.dialogLead", { date })}
      action={t("accountData.deletion.confirm")}
      onClose={onClose}
      submit={async (values) => {
        const asked = await call("POST /v1/account/deletion", { body: { name: values.text("name") } });
        await refresh();
        onClose();
        notify(t("accountData.deletion.requested", { date: formatTime(asked.due_at) }));
      }}
    >
      <TextField
        name="name"
        label={t("accountData.deletion.name")}
        hint={t("accountData.deletion.nameHint", { name })}
        autoComplete="off"
      />
    </FormDialog>
  );
}
