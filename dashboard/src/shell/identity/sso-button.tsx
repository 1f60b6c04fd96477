import "../../i18n/later/identity.ts";
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { query } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { useAct } from "../../kit/use-act.ts";
import { keepPlace } from "./kept-place.ts";

/** How people sign in here. Where it can't be read, a password is what there always was. */
export function useSignInMethods(): {
  isKnown: boolean;
  takesPasswords: boolean;
  provider: string | undefined;
  /** Whether strangers open accounts by themselves. */
  signUp: "closed" | "invite" | "open";
} {
  const { data, isPending } = useQuery({ ...query("GET /v1/sign_in_methods", {}), staleTime: 60_000 });
  return {
    isKnown: !isPending,
    takesPasswords: data?.password ?? true,
    provider: data?.single_sign_on?.name,
    signUp: data?.sign_up ?? "closed",
  };
}

type Props = {
  /** Where to go on afterwards. */
  from: string;
  words?: "sso.signIn" | "sso.accept" | "sso.confirm";
  /** The token of an invitation that is accepted by it. */
  invitation?: string;
  /** Asks the provider to have the person prove anew who they are. */
  again?: boolean;
  size?: "md" | "lg";
  kind?: "primary";
};

/** Leads to the provider; nothing is shown where there is none. */
export function SsoButton({ from, words = "sso.signIn", invitation, again, size = "lg", kind }: Props) {
  const { t } = useTranslation();
  const { provider } = useSignInMethods();
  const leave = useAct(async () => {
    const body = { ...(invitation !== undefined && { invitation }), ...(again && { again }) };
    const { authorization_url: url } = await call("POST /v1/session/sso", { body });
    keepPlace(from);
    window.location.assign(url);
    // The page stays for a moment, and its button busy.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  });
  if (provider === undefined) return null;
  return (
    <Button {...(kind && { kind })} size={size} block icon={KeyRound} busy={leave.isBusy} onClick={leave.run}>
      {t(words, { name: provider })}
    </Button>
  );
}
