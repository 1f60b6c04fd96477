import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import type { PendingSignIn, Session } from "../../api/openapi.ts";
import { adoptSession } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PasswordField, TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { useAct } from "../../kit/use-act.ts";
import { askForPasskey, canUsePasskeys } from "../../shell/identity/passkeys.ts";
import { isDue, SecondStep } from "../../shell/identity/second-step.tsx";
import { SsoButton, useSignInMethods } from "../../shell/identity/sso-button.tsx";
import { EntryFrame } from "./entry-frame.tsx";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const { from } = route.useSearch();

  const [due, setDue] = useState<PendingSignIn>();
  const { isKnown, takesPasswords, provider } = useSignInMethods();

  const goOn = (session: Session) => {
    queries.clear();
    adoptSession(queries, session);
    reportSignedIn();
    router.history.push(from ?? "/");
  };
  const signIn = async (values: Values) => {
    const body = { email: values.text("email"), password: values.exactText("password") };
    const answer = await call("POST /v1/session", { body });
    if (isDue(answer)) setDue(answer);
    else goOn(answer);
  };
  const byPasskey = useAct(async () => {
    const passkey = await askForPasskey(await call("POST /v1/session/passkey_options", { body: {} }));
    goOn(await call("POST /v1/session/passkey", { body: { passkey } }));
  });
  if (due)
    return (
      <EntryFrame title={t("identity.secondTitle")} lead={t("identity.secondLead")}>
        <SecondStep due={due} onSignedIn={goOn} onBack={() => setDue(undefined)} />
      </EntryFrame>
    );
  return (
    <EntryFrame title={t("signIn.title")} lead={from ? t("signIn.leadBack") : t("signIn.lead")}>
      <SsoButton from={from ?? "/"} {...(!takesPasswords && { kind: "primary" })} />
      {takesPasswords && provider !== undefined && <p className="entry-or dim sm">{t("sso.or")}</p>}
      {isKnown && takesPasswords && <ByPassword signIn={signIn} byPasskey={byPasskey} />}
      <ForStrangers />
    </EntryFrame>
  );
}

/** What somebody who has no account may do. */
function ForStrangers() {
  const { t } = useTranslation();
  const { signUp } = useSignInMethods();
  if (signUp === "invite") return <p className="sm dim">{t("entrance.byInvitation")}</p>;
  if (signUp === "closed") return null;
  return (
    <p className="sm">
      <Link to="/sign-up" className="link">
        {t("entrance.createAccount")}
      </Link>
    </p>
  );
}

function ByPassword({
  signIn,
  byPasskey,
}: {
  signIn: (values: Values) => Promise<void>;
  byPasskey: ReturnType<typeof useAct>;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Form submit={signIn}>
        {({ busy, note }) => (
          <>
            <TextField
              name="email"
              label={t("signIn.email")}
              type="email"
              size="lg"
              autoComplete="username"
              maxLength={254}
              autoFocus
            />
            <PasswordField name="password" label={t("signIn.password")} autoComplete="current-password" />
            {note}
            <Button kind="primary" size="lg" block type="submit" busy={busy}>
              {t("signIn.action")}
            </Button>
          </>
        )}
      </Form>
      {canUsePasskeys() && (
        <Button size="lg" block icon={Fingerprint} busy={byPasskey.isBusy} onClick={byPasskey.run}>
          {t("identity.passkeySignIn")}
        </Button>
      )}
      <p className="sm">
        <Link to="/forgotten-password" className="link">
          {t("signIn.forgotten")}
        </Link>
      </p>
    </>
  );
}
