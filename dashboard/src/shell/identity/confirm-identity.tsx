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
import { presentPlace } from "./kept-place.ts";
import { askForPasskey, canUsePasskeys } from "./passkeys.ts";
import { OtherWays, ProofField, proofOf, type Way } from "./proof-field.tsx";
import { SsoButton, useSignInMethods } from "./sso-button.tsx";

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
  const { takesPasswords } = useSignInMethods();
  const isBySso = session?.by_single_sign_on ?? false;
  const way = chosen && ways.includes(chosen) ? chosen : ways[0];
  // Whoever comes by single sign-on may have no password at all.
  const asksHere = way !== "password" || (takesPasswords && !isBySso);
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
          {asksHere && (
            <Button kind="primary" type="submit" form={FORM} busy={busy}>
              {t("identity.confirm")}
            </Button>
          )}
        </>
      }
    >
      {session?.factors.includes("passkey") && canUsePasskeys() && (
        <Button block icon={Fingerprint} busy={byPasskey.isBusy} onClick={byPasskey.run}>
          {t("identity.usePasskey")}
        </Button>
      )}
      {(isBySso || !asksHere) && (
        <div className="stack-2">
          <SsoButton from={presentPlace()} words="sso.confirm" size="md" again />
          <p className="xs dim">{t("sso.confirmHint")}</p>
        </div>
      )}
      {asksHere && (
        <Form id={FORM} submit={confirm}>
          <ProofField way={way} />
        </Form>
      )}
      <OtherWays ways={ways} way={way} onChoose={setWay} />
    </Dialog>
  );
}
