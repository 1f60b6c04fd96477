import "../../../i18n/later/settings/address.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { EmailChange } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { Form, type Values } from "../../../kit/forms/form.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";

/** One's own address, and the change of it that waits for its link. */
export function ChangeAddress({ email }: { email: string }) {
  const { t } = useTranslation();
  return (
    <section className="stack-4">
      <div>
        <h2>{t("address.title")}</h2>
        <p className="sm dim">{t("address.lead")}</p>
      </div>
      <p className="sm break">{t("address.present", { email })}</p>
      <NextAddress />
    </section>
  );
}

function NextAddress() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // A new key empties the form once the link was asked for.
  const [asks, setAsks] = useState(0);
  const changes = useQuery(query("GET /v1/email_changes", {}));
  const refresh = () => queries.invalidateQueries({ queryKey: ["email_changes"] });
  if (changes.error && !changes.data) {
    return <Failure title={t("address.title")} error={changes.error} retry={() => void changes.refetch()} />;
  }
  if (!changes.data) return <SkeletonLines />;
  const ask = async (values: Values) => {
    const { email } = await call("POST /v1/email_changes", { body: { email: values.text("email") } });
    await refresh();
    setAsks(asks + 1);
    notify(t("address.asked", { email }));
  };
  const [pending] = changes.data.data;
  return (
    <>
      {pending && <Pending change={pending} onTakenBack={refresh} />}
      <Form submit={ask} key={asks}>
        {({ busy, note }) => (
          <>
            <TextField
              name="email"
              label={t("address.next")}
              type="email"
              size="md"
              maxLength={254}
              autoComplete="email"
            />
            {note}
            <div className="row">
              <Button type="submit" busy={busy}>
                {t("address.ask")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </>
  );
}

function Pending({ change, onTakenBack }: { change: EmailChange; onTakenBack: () => Promise<unknown> }) {
  const { t } = useTranslation();
  const takeBack = useAct(async () => {
    await call("DELETE /v1/email_changes", {});
    await onTakenBack();
    notify(t("address.takenBack"));
  });
  return (
    <div className="note stack tight" role="status">
      <div className="stack tight">
        <p className="break">{t("address.pending", { email: change.email })}</p>
        <p className="sm">
          {t("address.until")} <Time at={change.expires_at} />
        </p>
        <p className="sm">{t("address.nothing")}</p>
        <div className="row">
          <Button size="sm" busy={takeBack.isBusy} onClick={takeBack.run}>
            {t("address.takeBack")}
          </Button>
        </div>
      </div>
    </div>
  );
}
