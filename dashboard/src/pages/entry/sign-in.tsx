import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reportSignedIn } from "../../api/connection.ts";
import { sessionQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PasswordField, TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { EntryFrame } from "./entry-frame.tsx";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const { from } = route.useSearch();

  const signIn = async (values: Values) => {
    const body = { email: values.text("email"), password: values.exactText("password") };
    const session = await call("POST /v1/session", { body });
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, session);
    reportSignedIn();
    router.history.push(from ?? "/");
  };
  return (
    <EntryFrame title={t("signIn.title")} lead={from ? t("signIn.leadBack") : t("signIn.lead")}>
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
      <p className="sm">
        <Link to="/forgotten-password" className="link">
          {t("signIn.forgotten")}
        </Link>
      </p>
    </EntryFrame>
  );
}
