import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { notify } from "../../kit/toasts.tsx";

/** Whoever is signed in here as somebody else signs out, and goes on with the link then. */
export function SignOutHere({ said, onDone }: { said: string; onDone: () => void }) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const signOut = async () => {
    setBusy(true);
    await call("DELETE /v1/session", {}).catch(() => undefined);
    notify(said);
    onDone();
  };
  return (
    <Button size="lg" block busy={isBusy} onClick={() => void signOut()}>
      {t("setup.signOutHere")}
    </Button>
  );
}
