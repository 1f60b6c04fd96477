import "../../i18n/later/identity.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { answerConfirmation } from "../../api/confirmation.ts";
import type { Confirmation, Session } from "../../api/openapi.ts";
import { ApiError } from "../../api/problem.ts";
import { sessionQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { useAct } from "../../kit/use-act.ts";
import { askForPasskey, canUsePasskeys } from "./passkeys.ts";
import { OtherWays, ProofField, proofOf, type Way } from "./proof-field.tsx";

const FORM = "confirm-identity";

/** Whoever has a second factor confirms with one; for everybody else the password is what there is. */
function waysFor(factors: Session["factors"]): readonly [Way, ...Way[]] {
  if (factors.includes("totp")) return ["code", "recovery_code"];
  return factors.length > 0 ? ["recovery_code"] : ["password"];
}

function isFactorWanted(error: unknown): boolean {
  return error instanceof ApiError && error.faults.some(({ code }) => code === "second_factor_required");
}

/** Asks for a proof that it is them, over whatever page or dialog wanted it; its request then goes on by itself. */
export default function ConfirmIdentity() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const [chosen, setWay] = useState<Way>();
  const [busy, setBusy] = useState(false);
  const ways = waysFor(session?.factors ?? []);
  const way = chosen && ways.includes(chosen) ? chosen : ways[0];
  const send = async (body: Confirmation) => {
    const { confirmed_until } = await call("POST /v1/session/confirm", { body });
    queries.setQueryData(sessionQuery.queryKey, (before) => before && { ...before, confirmed_until });
    answerConfirmation(true);
  };
  const confirm = async (values: Values) => {
    setBusy(true);
    try {
      await send(proofOf(way, values));
    } catch (error) {
      // A factor was added elsewhere since the session was read: the field of that factor takes the place of the password.
      if (way === "password" && isFactorWanted(error)) {
        await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
        return;
      }
      if (!(error instanceof ApiError) || error.code !== "wrong_second_factor") throw error;
      const detail = t("identity.wrong");
      throw new ApiError({
        ...error.members,
        detail,
        errors: [{ pointer: `/${way}`, code: error.code, detail }],
      });
    } finally {
      setBusy(false);
    }
  };
  const byPasskey = useAct(async () => {
    const passkey = await askForPasskey(await call("POST /v1/session/confirm/passkey_options", {}));
    await send({ passkey });
  });
  return (
    <Dialog
      mustAnswer
      title={t("identity.confirmTitle")}
      lead={t("identity.confirmLead")}
      onClose={() => answerConfirmation(false)}
      footer={
        <>
          <Button kind="quiet" onClick={() => answerConfirmation(false)}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" type="submit" form={FORM} busy={busy}>
            {t("identity.confirm")}
          </Button>
        </>
      }
    >
      {session?.factors.includes("passkey") && canUsePasskeys() && (
        <Button block icon={Fingerprint} busy={byPasskey.isBusy} onClick={byPasskey.run}>
          {t("identity.usePasskey")}
        </Button>
      )}
      <Form id={FORM} submit={confirm}>
        <ProofField way={way} />
      </Form>
      <OtherWays ways={ways} way={way} onChoose={setWay} />
    </Dialog>
  );
}
