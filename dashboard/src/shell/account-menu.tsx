import { Check } from "lucide-react";
import type { RefObject } from "react";
import { chooseAccount } from "../api/account.ts";
import type { Session } from "../api/openapi.ts";
import { Menu } from "../kit/overlays/menu.tsx";

type Props = { anchor: RefObject<HTMLButtonElement | null>; session: Session; onClose: () => void };

/** The accounts that somebody belongs to. The page starts anew with the other one, so that nothing of this one stays in its memory. */
export default function AccountMenu({ anchor, session, onClose }: Props) {
  const enter = (id: string) => {
    chooseAccount(id);
    window.location.assign("/");
  };
  return (
    <Menu
      anchor={anchor}
      onClose={onClose}
      items={session.memberships.map(({ account_id: id, account_name: label }) => ({
        id,
        label,
        ...(id === session.account_id && { icon: Check }),
        run: () => (id === session.account_id ? onClose() : enter(id)),
      }))}
    />
  );
}
