import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { KeyRound, Pencil, UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "../../../api/openapi.ts";
import { pageQuery, sessionQuery } from "../../../api/queries.ts";
import { formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { InviteUser, PendingInvitations } from "./invitations.tsx";
import { LinkShown, type ShownLink } from "./link-shown.tsx";
import { EditUser, NewLink, RemoveUser } from "./user-forms.tsx";

const route = getRouteApi("/signed-in/settings/people");

type Open =
  | { readonly what: "invite" }
  | { readonly what: "link"; readonly link: ShownLink }
  | { readonly what: "edit" | "new-link" | "remove"; readonly user: User }
  | null;

/** Who works with the account. */
export function PeopleSettings() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const users = useQuery(pageQuery("GET /v1/users", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const invite = () => setOpen({ what: "invite" });
  const show = (link: ShownLink) => setOpen({ what: "link", link });
  useRegisterActions([{ id: "invite", label: t("team.invite"), icon: UserPlus, keys: "n", run: invite }]);
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("team.title")}</h2>
          <p className="sm dim">{t("team.lead")}</p>
        </div>
        <Button kind="primary" icon={UserPlus} onClick={invite}>
          {t("team.invite")}
        </Button>
      </div>
      <Listing result={users} unreadable={t("team.unreadable")} empty={null}>
        {(rows, page) => (
          <>
            <UserTable users={rows} onOpen={setOpen} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      <PendingInvitations onMade={show} />
      {open?.what === "invite" && <InviteUser onClose={close} onMade={show} />}
      {open?.what === "link" && <LinkShown link={open.link} onClose={close} />}
      {open?.what === "edit" && <EditUser id={open.user.id} onClose={close} />}
      {open?.what === "new-link" && <NewLink user={open.user} onClose={close} onMade={show} />}
      {open?.what === "remove" && <RemoveUser user={open.user} onClose={close} />}
    </section>
  );
}

function UserTable({ users, onOpen }: { users: readonly User[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const isYou = (user: User) => user.id === session?.user.id;
  const itemsFor = (user: User): readonly MenuItem[] => [
    // An operator who looks in can be sent away, and not changed.
    ...(user.visit_until === null
      ? [
          { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", user } as const) },
          {
            label: t("team.linkFor"),
            icon: KeyRound,
            run: () => onOpen({ what: "new-link", user } as const),
          },
        ]
      : []),
    // Whoever removed themselves would be signed out in the same moment, and nobody could undo it.
    ...(isYou(user)
      ? []
      : [
          {
            label: t("team.remove"),
            icon: UserMinus,
            danger: true,
            run: () => onOpen({ what: "remove", user }),
          },
        ]),
  ];
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("team.name")}</th>
            <th>{t("team.role")}</th>
            <th>{t("team.lastSeen")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="row wrap">
                    <span className="med break" dir="auto">
                      {user.name || user.email}
                    </span>
                    {user.visit_until && (
                      <span className="badge warn">
                        {t("team.looksIn", { time: formatTime(user.visit_until) })}
                      </span>
                    )}
                    {isYou(user) && <span className="badge accent">{t("team.you")}</span>}
                  </span>
                  {user.name && <span className="sm dim break">{user.email}</span>}
                </div>
              </td>
              <td className="mid" data-label={t("team.role")}>
                {t(`team.roles.${user.role}`)}
              </td>
              <td className="dim" data-label={t("team.lastSeen")}>
                {user.last_signed_in_at ? <Time at={user.last_signed_in_at} /> : t("team.never")}
              </td>
              <td className="r c-menu">
                <RowMenu name={user.email} items={itemsFor(user)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
