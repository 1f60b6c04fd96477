import "../../i18n/later/identity.ts";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { PendingSignIn, Session } from "../../api/openapi.ts";
import { ApiError } from "../../api/problem.ts";
import { Button } from "../../kit/button.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { useAct } from "../../kit/use-act.ts";
import { askForPasskey, canUsePasskeys } from "./passkeys.ts";
import { OtherWays, ProofField, proofOf, type Way } from "./proof-field.tsx";

/** Tells whether a sign-in owes a second factor. */
export function isDue(answer: Session | PendingSignIn): answer is PendingSignIn {
  return answer.object === "pending_sign_in";
}

type Props = {
  due: PendingSignIn;
  onSignedIn: (session: Session) => Promise<void> | void;
  /** Begins with the password again. */
  onBack: () => void;
  size?: "md" | "lg";
};

/** Asks for the second factor, after a right password. */
export function SecondStep({ due, onSignedIn, onBack, size = "lg" }: Props) {
  const { t } = useTranslation();
  const ways: readonly Way[] = due.factors.includes("totp") ? ["code", "recovery_code"] : ["recovery_code"];
  const [way, setWay] = useState<Way>(ways[0] ?? "recovery_code");
  const prove = async (values: Values) => {
    const body = { token: due.token, ...proofOf(way, values) };
    await onSignedIn(await call("POST /v1/session/second_factor", { body }).catch(inOwnWords));
  };
  const inOwnWords = (error: unknown): never => {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "wrong_second_factor") throw faultAt(way, error, t("identity.wrong"));
    if (error.code === "sign_in_expired") throw faultAt(way, error, t("identity.expired"));
    throw error;
  };
  const byPasskey = useAct(async () => {
    const { token } = due;
    const passkey = await askForPasskey(await call("POST /v1/session/passkey_options", { body: { token } }));
    await onSignedIn(await call("POST /v1/session/second_factor", { body: { token, passkey } }));
  });
  return (
    <>
      {due.factors.includes("passkey") && canUsePasskeys() && (
        <Button size={size} block icon={Fingerprint} busy={byPasskey.isBusy} onClick={byPasskey.run}>
          {t("identity.usePasskey")}
        </Button>
      )}
      <Form submit={prove}>
        {({ busy, note }) => (
          <>
            <ProofField way={way} size={size} />
            {note}
            <Button kind="primary" size={size} block type="submit" busy={busy}>
              {t("signIn.action")}
            </Button>
          </>
        )}
      </Form>
      <OtherWays ways={ways} way={way} onChoose={setWay} />
      <p className="xs dim">
        {t("identity.lost")} <code className="mono">{RESET_COMMAND}</code>
      </p>
      <div className="row">
        <button type="button" className="text-button" onClick={onBack}>
          {t("identity.startAgain")}
        </button>
      </div>
    </>
  );
}

/** The fault stands at the field that was typed into. */
function faultAt(way: Way, error: ApiError, detail: string): ApiError {
  return new ApiError({
    ...error.members,
    detail,
    errors: [{ pointer: `/${way}`, code: error.code, detail }],
  });
}

const RESET_COMMAND = "npm run postrider -- users reset-factors --email …";
