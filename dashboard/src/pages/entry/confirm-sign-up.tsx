/** The page of a sign-up's link. It opens the account once a password was chosen, since scanners of mail follow links. */
import "../../i18n/later/sign-up.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { chooseAccount } from "../../api/account.ts";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import type { SignUpLink } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { adoptSession } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PasswordField, SelectField, TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { ProblemNote, useProblemText } from "../../kit/forms/problem-note.tsx";
import { timeZoneOptions } from "../../kit/time-zones.ts";
import { EntryFrame } from "./entry-frame.tsx";
import { mayPass } from "./link-errors.ts";
import { SignOutHere } from "./sign-out-here.tsx";

export function ConfirmSignUp() {
  const { t } = useTranslation();
  // The token stays after the # until it is used, so that a reload works and no server or log sees it.
  const [token] = useState(() => window.location.hash.slice(1));
  const link = useQuery({
    queryKey: ["sign_ups", token],
    queryFn: () => call("POST /v1/sign_ups/inspect", { body: { token } }),
    enabled: token !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === "") return <UselessLink text={t("setup.incomplete")} />;
  if (link.error && mayPass(link.error)) {
    return (
      <EntryFrame title={t("setup.uncheckedTitle")}>
        <ProblemNote error={asApiError(link.error)} />
        <Button kind="primary" size="lg" block busy={link.isFetching} onClick={() => void link.refetch()}>
          {t("do.tryAgain")}
        </Button>
      </EntryFrame>
    );
  }
  if (link.error) return <RefusedLink error={link.error} />;
  return link.data ? <OpenAccount token={token} link={link.data} /> : null;
}

function RefusedLink({ error }: { error: Error }) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const problem = asApiError(error);
  return <UselessLink text={problem.faults.length > 0 ? t("setup.incomplete") : textOf(problem)} />;
}

function UselessLink({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <EntryFrame title={t("setup.uselessTitle")} lead={text}>
      <p className="sm mid">{t("signUp.uselessWhat")}</p>
      <p className="row wrap sm">
        <Link to="/sign-in" className="link">
          {t("signIn.action")}
        </Link>
        <Link to="/sign-up" className="link">
          {t("signUp.again")}
        </Link>
      </p>
    </EntryFrame>
  );
}

function OpenAccount({ token, link }: { token: string; link: SignUpLink }) {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const [isOther, setOther] = useState(false);

  const redeem = async (values: Values) => {
    const body = { token, password: values.exactText("password"), name: values.text("name") };
    const session = await call("POST /v1/sign_ups/redeem", { body }).catch((error) => {
      setOther(asApiError(error).code === "wrong_person");
      throw error;
    });
    queries.clear();
    chooseAccount(session.account_id);
    adoptSession(queries, session);
    reportSignedIn();
    // A refusal here can be mended in the settings.
    const zone = { time_zone: values.text("time_zone") };
    await call("PATCH /v1/account", { body: zone }).catch(() => undefined);
    router.history.replace("/");
  };
  return (
    <EntryFrame
      title={t("signUp.confirmTitle")}
      lead={t("signUp.confirmLead", { account: link.account_name })}
    >
      <Form submit={redeem}>
        {({ busy, note }) => (
          <>
            <TextField
              name="email"
              label={t("signIn.email")}
              type="email"
              size="lg"
              autoComplete="username"
              defaultValue={link.email}
              readOnly
            />
            <TextField
              name="name"
              label={t("setup.name")}
              size="lg"
              maxLength={100}
              autoComplete="name"
              defaultValue={link.name}
              optional
            />
            <PasswordField
              name="password"
              label={t("signIn.password")}
              hint={t("setup.passwordHint")}
              autoComplete="new-password"
              maxLength={200}
              autoFocus
            />
            <SelectField
              name="time_zone"
              label={t("settings.timeZone")}
              size="lg"
              options={timeZoneOptions()}
              defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
            />
            {note}
            {isOther && <SignOutHere said={t("signUp.signedOut")} onDone={() => setOther(false)} />}
            <Button kind="primary" size="lg" block type="submit" busy={busy}>
              {t("signUp.confirm")}
            </Button>
          </>
        )}
      </Form>
    </EntryFrame>
  );
}
