/** The page of a link that sets a password: the first owner's, an invitation's, or a reset's; or that lets in who has one. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { chooseAccount } from "../../api/account.ts";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import type { PasswordLink, PendingSignIn, Session } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { adoptSession } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PasswordField, SelectField, TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { ProblemNote, useProblemText } from "../../kit/forms/problem-note.tsx";
import { timeZoneOptions } from "../../kit/time-zones.ts";
import { isDue, SecondStep } from "../../shell/identity/second-step.tsx";
import { SsoButton, useSignInMethods } from "../../shell/identity/sso-button.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { mayPass } from "./link-errors.ts";
import { SignOutHere } from "./sign-out-here.tsx";

export function Setup() {
  const { t } = useTranslation();
  // The token stays after the # until it is used, so that a reload works and no server or log sees it.
  const [token] = useState(() => window.location.hash.slice(1));
  const link = useQuery({
    queryKey: ["password_links", token],
    queryFn: () => call("POST /v1/password_links/inspect", { body: { token } }),
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
  return link.data ? <SetPassword token={token} link={link.data} /> : null;
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
      <p className="sm mid">{t("setup.uselessWhat")}</p>
      <p className="row wrap sm">
        <Link to="/sign-in" className="link">
          {t("signIn.action")}
        </Link>
        <Link to="/forgotten-password" className="link">
          {t("setup.askForLink")}
        </Link>
      </p>
    </EntryFrame>
  );
}

function SetPassword({ token, link }: { token: string; link: PasswordLink }) {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const [isOther, setOther] = useState(false);
  const isFirst = link.user_id === null;
  const kind = isFirst ? "first" : link.purpose === "setup" ? "invited" : link.purpose;
  const isInvitation = kind === "invited" || kind === "join";
  const { takesPasswords, provider } = useSignInMethods();

  const [due, setDue] = useState<{ readonly pending: PendingSignIn; readonly values: Values }>();
  const goOn = async (session: Session, values: Values) => {
    // A second factor answers with the account that the person joined first; the link's own is the newest.
    const joined = isFirst
      ? session.memberships.at(-1)
      : session.memberships.find((one) => one.user_id === link.user_id);
    const { account_id } = joined ?? session;
    queries.clear();
    chooseAccount(account_id);
    if (account_id === session.account_id) adoptSession(queries, session);
    reportSignedIn();
    if (isFirst) await nameAccount(values);
    router.history.replace("/");
  };

  const redeem = async (values: Values) => {
    const name = values.text("name");
    const answer = await call("POST /v1/password_links/redeem", {
      body: {
        token,
        password: values.exactText("password"),
        ...(isFirst && { email: values.text("email") }),
        ...(name !== "" && { name }),
      },
    }).catch((error) => {
      setOther(asApiError(error).code === "wrong_person");
      throw error;
    });
    if (isDue(answer)) return setDue({ pending: answer, values });
    await goOn(answer, values);
  };
  if (due)
    return (
      <EntryFrame title={t("identity.secondTitle")} lead={t("identity.secondLead")}>
        <SecondStep
          due={due.pending}
          onSignedIn={(session) => void goOn(session, due.values)}
          onBack={() => router.history.replace("/sign-in")}
        />
      </EntryFrame>
    );
  return (
    <EntryFrame
      title={t(`setup.title.${kind}`)}
      lead={
        isInvitation && !takesPasswords ? t("sso.only", { name: provider ?? "" }) : t(`setup.lead.${kind}`)
      }
    >
      {isInvitation && provider !== undefined && (
        <>
          <SsoButton
            from="/"
            words="sso.accept"
            invitation={token}
            {...(!takesPasswords && { kind: "primary" })}
          />
          {takesPasswords && <p className="entry-or dim sm">{t("sso.or")}</p>}
        </>
      )}
      {(takesPasswords || !isInvitation) && (
        <Form submit={redeem}>
          {({ busy, note }) => (
            <>
              {isFirst && (
                <TextField
                  name="account"
                  label={t("setup.account")}
                  hint={t("setup.accountHint")}
                  size="lg"
                  maxLength={100}
                  autoComplete="organization"
                  optional
                  autoFocus
                />
              )}
              <TextField
                name="email"
                label={t("signIn.email")}
                type="email"
                size="lg"
                maxLength={254}
                autoComplete="username"
                defaultValue={link.email ?? ""}
                readOnly={!isFirst}
              />
              {(isFirst || kind === "invited") && (
                <TextField
                  name="name"
                  label={t("setup.name")}
                  size="lg"
                  maxLength={100}
                  autoComplete="name"
                  optional
                />
              )}
              <PasswordField
                name="password"
                label={t("signIn.password")}
                hint={kind === "join" ? t("setup.presentPassword") : t("setup.passwordHint")}
                autoComplete={kind === "join" ? "current-password" : "new-password"}
                maxLength={kind === "join" ? 1_000 : 200}
                autoFocus={!isFirst}
              />
              {isFirst && (
                <SelectField
                  name="time_zone"
                  label={t("settings.timeZone")}
                  size="lg"
                  options={timeZoneOptions()}
                  defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
                />
              )}
              {note}
              {isOther && <SignOutHere said={t("setup.signedOut")} onDone={() => setOther(false)} />}
              <Button kind="primary" size="lg" block type="submit" busy={busy}>
                {t("setup.action")}
              </Button>
              <p className="xs dim">{t("setup.noTelemetry")}</p>
            </>
          )}
        </Form>
      )}
    </EntryFrame>
  );
}

/** The account has its name and zone from its owner; a refusal here can be mended in the settings. */
async function nameAccount(values: Values): Promise<void> {
  const name = values.text("account");
  const body = { time_zone: values.text("time_zone"), ...(name !== "" && { name }) };
  await call("PATCH /v1/account", { body }).catch(() => undefined);
}
