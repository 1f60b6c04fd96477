/** Asks what a stranger's account is called, and where its link goes. What follows is the same for every address. */
import "../../i18n/later/sign-up.ts";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { useSignInMethods } from "../../shell/identity/sso-button.tsx";
import { EntryFrame } from "./entry-frame.tsx";

export function SignUp() {
  const { t } = useTranslation();
  const [askedFor, setAskedFor] = useState("");
  const { isKnown, signUp } = useSignInMethods();

  const ask = async (values: Values) => {
    const [email, name] = [values.text("email"), values.text("name")];
    const body = { email, account_name: values.text("account_name"), ...(name !== "" && { name }) };
    await call("POST /v1/sign_ups", { body });
    setAskedFor(email);
  };
  const back = (
    <p className="sm">
      <Link to="/sign-in" className="link">
        {t("signUp.back")}
      </Link>
    </p>
  );
  if (!isKnown) return null;
  if (signUp !== "open")
    return (
      <EntryFrame title={t("signUp.title")} lead={t("problem.sign_up_closed")}>
        {back}
      </EntryFrame>
    );
  if (askedFor !== "")
    return (
      <EntryFrame title={t("signUp.sentTitle")}>
        <p className="break" role="status">
          {t("signUp.sent", { email: askedFor })}
        </p>
        <p className="sm mid">{t("signUp.nothing")}</p>
        <Button size="lg" block onClick={() => setAskedFor("")}>
          {t("signUp.another")}
        </Button>
        {back}
      </EntryFrame>
    );
  return (
    <EntryFrame title={t("signUp.title")} lead={t("signUp.lead")}>
      <Form submit={ask}>
        {({ busy, note }) => (
          <>
            <TextField
              name="account_name"
              label={t("setup.account")}
              hint={t("setup.accountHint")}
              size="lg"
              maxLength={100}
              autoComplete="organization"
              autoFocus
            />
            <TextField
              name="email"
              label={t("signUp.email")}
              type="email"
              size="lg"
              autoComplete="username"
              maxLength={254}
            />
            <TextField
              name="name"
              label={t("setup.name")}
              size="lg"
              maxLength={100}
              autoComplete="name"
              optional
            />
            {note}
            <Button kind="primary" size="lg" block type="submit" busy={busy}>
              {t("signUp.action")}
            </Button>
          </>
        )}
      </Form>
      {back}
    </EntryFrame>
  );
}
