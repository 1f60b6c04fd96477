/** Asks for the address that a link goes to. What follows is the same for every address. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { EntryFrame } from "./entry-frame.tsx";

export function ForgottenPassword() {
  const { t } = useTranslation();
  const [askedFor, setAskedFor] = useState("");

  const ask = async (values: Values) => {
    const email = values.text("email");
    await call("POST /v1/password_resets", { body: { email } });
    setAskedFor(email);
  };
  const back = (
    <p className="sm">
      <Link to="/sign-in" className="link">
        {t("forgotten.back")}
      </Link>
    </p>
  );
  if (askedFor !== "")
    return (
      <EntryFrame title={t("forgotten.sentTitle")}>
        <p className="break" role="status">
          {t("forgotten.sent", { email: askedFor })}
        </p>
        <p className="sm mid">{t("forgotten.nothing")}</p>
        <p className="xs dim">
          {t("forgotten.operator")} <code className="mono">{RESET_COMMAND}</code>
        </p>
        {back}
      </EntryFrame>
    );
  return (
    <EntryFrame title={t("forgotten.title")} lead={t("forgotten.lead")}>
      <Form submit={ask}>
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
            {note}
            <Button kind="primary" size="lg" block type="submit" busy={busy}>
              {t("forgotten.action")}
            </Button>
          </>
        )}
      </Form>
      {back}
    </EntryFrame>
  );
}

const RESET_COMMAND = "npm run postrider -- users reset --email …";
