import { useNavigate } from "@tanstack/react-router";
import { Keyboard, LogOut, UserRound } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../api/client.ts";
import { Menu } from "../kit/menu.tsx";

type Props = { anchor: RefObject<HTMLButtonElement | null>; openKeys: () => void; onClose: () => void };

export default function MeMenu({ anchor, openKeys, onClose }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const signOut = async () => {
    await call("DELETE /v1/session", {}).catch(() => undefined);
    // Nothing of this account stays in the page's memory.
    window.location.assign("/sign-in");
  };
  return (
    <Menu
      anchor={anchor}
      onClose={onClose}
      side="top"
      items={[
        { label: t("me.profile"), icon: UserRound, run: () => void navigate({ to: "/settings/profile" }) },
        { label: t("keys.title"), icon: Keyboard, run: openKeys },
        { label: t("me.signOut"), icon: LogOut, run: () => void signOut() },
      ]}
    />
  );
}
