import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../api/client.ts";
import { holds } from "../../../api/may.ts";
import { queryWithEtag, sessionQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { EditForm } from "../../../kit/forms/edit-form.tsx";
import { Checkbox, PasswordField, TextField } from "../../../kit/forms/field.tsx";
import { Form, type Values } from "../../../kit/forms/form.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useSignInMethods } from "../../../shell/identity/sso-button.tsx";
import { ChangeAddress } from "./address.tsx";

/** One's own name, notices, address and password. */
export function ProfileSettings() {
  const { t } = useTranslation();
  const { takesPasswords } = useSignInMethods();
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <>
      <section className="stack-4">
        <div>
          <h2>{t("settings.profile")}</h2>
          <p className="sm dim break">
            {session.user.name && <>{session.user.name} · </>}
            {session.user.email}
          </p>
        </div>
        {/* Whoever may not change users has their name changed by those who may. */}
        {holds(session, "users:write") && <NameForm id={session.user.id} />}
      </section>
      <hr className="rule" />
      <ChangeAddress email={session.user.email} />
      {takesPasswords && (
        <>
          <hr className="rule" />
          <ChangePassword />
        </>
      )}
    </>
  );
}

function NameForm({ id }: { id: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const path = { id };
  const found = useQuery({ ...queryWithEtag("GET /v1/users/{id}", { path }), gcTime: 0 });
  if (!found.data) return null;
  return (
    <EditForm
      found={found.data}
      patchOf={(values) => ({ name: values.text("name"), notices: values.isChecked("notices") })}
      save={(body, ifMatch) => request("PATCH /v1/users/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/users/{id}", { path })}
      labelOf={(name) => t(name === "notices" ? "settings.notices" : "setup.name")}
      onSaved={() => {
        for (const thing of ["session", "users"]) void queries.invalidateQueries({ queryKey: [thing] });
        notify(t("settings.saved"));
      }}
    >
      {(user) => (
        <>
          <TextField
            name="name"
            label={t("setup.name")}
            maxLength={100}
            defaultValue={user.name}
            autoComplete="name"
          />
          <Checkbox
            name="notices"
            label={t("settings.notices")}
            hint={t("settings.noticesHint")}
            defaultChecked={user.notices}
          />
        </>
      )}
    </EditForm>
  );
}

function ChangePassword() {
  const { t } = useTranslation();
  // A new key empties the form once the password is changed.
  const [changes, setChanges] = useState(0);
  const change = async (values: Values) => {
    await call("POST /v1/session/password", {
      body: {
        current_password: values.exactText("current_password"),
        new_password: values.exactText("new_password"),
      },
    });
    setChanges(changes + 1);
    notify(t("settings.passwordChanged"));
  };
  return (
    <section className="stack-4">
      <div>
        <h2>{t("settings.password")}</h2>
        <p className="sm dim">{t("settings.passwordLead")}</p>
      </div>
      <Form submit={change} key={changes}>
        {({ busy, note }) => (
          <>
            <PasswordField
              name="current_password"
              label={t("settings.currentPassword")}
              size="md"
              autoComplete="current-password"
            />
            <PasswordField
              name="new_password"
              label={t("settings.newPassword")}
              hint={t("setup.passwordHint")}
              size="md"
              autoComplete="new-password"
            />
            {note}
            <div className="row">
              <Button kind="primary" type="submit" busy={busy}>
                {t("settings.changePassword")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  );
}
