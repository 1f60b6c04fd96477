import { useNavigate } from "@tanstack/react-router";
import { Keyboard, LogOut, UserRound } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../api/client.ts";
import { asApiError } from "../api/problem.ts";
import { Menu } from "../kit/overlays/menu.tsx";
import { useAct } from "../kit/use-act.ts";

type Props = { anchor: RefObject<HTMLButtonElement | null>; openKeys: () => void; onClose: () => void };

export default function MeMenu({ anchor, openKeys, onClose }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const signOut = useAct(async () => {
    await call("DELETE /v1/session", {}).catch((thrown) => {
      // Whoever has no session any more is signed out.
      if (asApiError(thrown).status !== 401) throw thrown;
    });
    // Nothing of this account stays in the page's memory.
    window.location.assign("/sign-in");
  });
  return (
    <Menu
      anchor={anchor}
      onClose={onClose}
      side="top"
      items={[
        { label: t("me.profile"), icon: UserRound, run: () => void navigate({ to: "/settings/profile" }) },
        { label: t("keys.title"), icon: Keyboard, run: openKeys },
        { label: t("me.signOut"), icon: LogOut, run: signOut.run },
      ]}
    />
  );
}
