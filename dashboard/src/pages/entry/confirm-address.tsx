/** The page of a link that proves a new address. It acts on a button alone, since scanners of mail follow links. */
import "../../i18n/later/settings/address.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { asApiError } from "../../api/problem.ts";
import { adoptSession, query, sessionQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { notify } from "../../kit/toasts.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { forgetToken, keptToken } from "./kept-token.ts";

export function ConfirmAddress() {
  const { t } = useTranslation();
  const [token] = useState(keptToken);
  const session = useQuery({ ...sessionQuery, retry: false });
  if (token === "") {
    return (
      <EntryFrame title={t("address.uselessTitle")} lead={t("address.incomplete")}>
        <ToProfile />
      </EntryFrame>
    );
  }
  if (session.data) return <Waiting token={token} />;
  if (!session.error) return null;
  const error = asApiError(session.error);
  if (error.status === 401) {
    return (
      <Page lead={t("address.signInFirst")}>
        <Link to="/sign-in" search={{ from: "/confirm-address" }} className="link">
          {t("signIn.action")}
        </Link>
      </Page>
    );
  }
  return (
    <Page>
      <ProblemNote error={error} />
      <Button size="lg" block busy={session.isFetching} onClick={() => void session.refetch()}>
        {t("do.tryAgain")}
      </Button>
    </Page>
  );
}

/** Shows the address before it is confirmed: a link may come from somebody who would like theirs to be taken. */
function Waiting({ token }: { token: string }) {
  const { t } = useTranslation();
  const changes = useQuery({ ...query("GET /v1/email_changes", {}), retry: false });
  if (changes.data) {
    const [pending] = changes.data.data;
    if (pending) {
      return (
        <Page lead={t("address.confirmLead", { email: pending.email })}>
          <Confirm token={token} />
        </Page>
      );
    }
    return (
      <EntryFrame title={t("address.uselessTitle")} lead={t("address.nonePending")}>
        <ToProfile />
      </EntryFrame>
    );
  }
  if (!changes.error) return null;
  return (
    <Page>
      <ProblemNote error={asApiError(changes.error)} />
      <Button size="lg" block busy={changes.isFetching} onClick={() => void changes.refetch()}>
        {t("do.tryAgain")}
      </Button>
    </Page>
  );
}

function Page({ lead, children }: { lead?: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EntryFrame title={t("address.confirmTitle")} lead={lead}>
      {children}
    </EntryFrame>
  );
}

function Confirm({ token }: { token: string }) {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      const session = await call("POST /v1/email_changes/redeem", { body: { token } });
      forgetToken();
      queries.clear();
      adoptSession(queries, session);
      notify(t("address.done", { email: session.user.email }));
      router.history.replace("/settings/profile");
    } catch (thrown) {
      const refused = asApiError(thrown);
      setError(refused);
      // Whoever was signed out meanwhile is asked to sign in.
      if (refused.status === 401) await queries.resetQueries({ queryKey: sessionQuery.queryKey });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {error && <ProblemNote error={asApiError(error)} />}
      <Button kind="primary" size="lg" block busy={isBusy} onClick={() => void confirm()}>
        {t("address.confirm")}
      </Button>
      <ToProfile />
    </>
  );
}

function ToProfile() {
  const { t } = useTranslation();
  return (
    <p className="sm">
      <Link to="/settings/profile" className="link">
        {t("address.toProfile")}
      </Link>
    </p>
  );
}
