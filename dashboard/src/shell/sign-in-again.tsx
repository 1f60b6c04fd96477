import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../api/client.ts";
import { reportSignedIn } from "../api/connection.ts";
import { sessionQuery } from "../api/queries.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { PasswordField, TextField } from "../kit/forms/field.tsx";
import { Form } from "../kit/forms/form.tsx";

const FORM = "sign-in-again";

/** A session that ends is renewed over the page it ended on, so that nothing typed there is lost. */
export default function SignInAgain() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: before } = useQuery({ ...sessionQuery, enabled: false });
  return (
    <Dialog
      mustAnswer
      title={t("signIn.againTitle")}
      lead={t("signIn.againLead")}
      onClose={() => undefined}
      footer={
        <Button kind="primary" type="submit" form={FORM}>
          {t("signIn.action")}
        </Button>
      }
    >
      <Form
        id={FORM}
        submit={async (values) => {
          const body = { email: values.text("email"), password: values.exactText("password") };
          const session = await call("POST /v1/session", { body });
          // What is on the page is another's: it starts anew.
          if (before && session.user.id !== before.user.id) return window.location.assign("/");
          reportSignedIn();
          await queries.invalidateQueries();
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
    </Dialog>
  );
}
