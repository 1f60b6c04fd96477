import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import type { PendingSignIn, Session } from "../../api/openapi.ts";
import { sessionQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PasswordField, TextField } from "../../kit/forms/field.tsx";
import { Form } from "../../kit/forms/form.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { presentPlace } from "./kept-place.ts";
import { isDue, SecondStep } from "./second-step.tsx";
import { SsoButton, useSignInMethods } from "./sso-button.tsx";

const FORM = "sign-in-again";

/** A session that ends is renewed over the page it ended on, so that nothing typed there is lost. */
export default function SignInAgain() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: before } = useQuery({ ...sessionQuery, enabled: false });
  const [due, setDue] = useState<PendingSignIn>();
  const { takesPasswords, provider } = useSignInMethods();
  const goOn = async (session: Session) => {
    // What is on the page is another's: it starts anew.
    const isSame = session.memberships.some(({ user_id }) => user_id === before?.user.id);
    if (before && !isSame) return window.location.assign("/");
    reportSignedIn();
    await queries.invalidateQueries();
  };
  if (due)
    return (
      <Dialog
        mustAnswer
        title={t("identity.secondTitle")}
        lead={t("identity.secondLead")}
        onClose={() => undefined}
        footer={null}
      >
        <SecondStep due={due} size="md" onSignedIn={goOn} onBack={() => setDue(undefined)} />
      </Dialog>
    );
  return (
    <Dialog
      mustAnswer
      title={t("signIn.againTitle")}
      lead={t("signIn.againLead")}
      onClose={() => undefined}
      footer={
        takesPasswords && (
          <Button kind="primary" type="submit" form={FORM}>
            {t("signIn.action")}
          </Button>
        )
      }
    >
      {provider !== undefined && (
        <div className="stack-2">
          <SsoButton from={presentPlace()} size="md" />
          <p className="xs dim">{t("sso.againHint")}</p>
        </div>
      )}
      {takesPasswords && (
        <Form
          id={FORM}
          submit={async (values) => {
            const body = { email: values.text("email"), password: values.exactText("password") };
            const answer = await call("POST /v1/session", { body });
            if (isDue(answer)) setDue(answer);
            else await goOn(answer);
          }}
        >
          <TextField
            name="email"
            label={t("signIn.email")}
            type="email"
            autoComplete="username"
            defaultValue={before?.user.email ?? ""}
          />
          <PasswordField
            name="password"
            label={t("signIn.password")}
            size="md"
            autoComplete="current-password"
            autoFocus
          />
        </Form>
      )}
    </Dialog>
  );
}
