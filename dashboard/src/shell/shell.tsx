/** What stands around every page of somebody who is signed in. */
import { useQuery } from "@tanstack/react-query";
import { Outlet, useMatches, useNavigate } from "@tanstack/react-router";
import { Keyboard, MailPlus, Menu as MenuIcon, Search, SunMoon } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsAsked } from "../api/confirmation.ts";
import { useConnection } from "../api/connection.ts";
import { query, sessionQuery } from "../api/queries.ts";
import { Button } from "../kit/button.tsx";
import { lazyPart } from "../lazy-page.ts";
import { listenToKeys, useRegisterActions } from "./actions.ts";
import { AsOf } from "./as-of.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionLine } from "./connection-line.tsx";
import { useFirstStepActions } from "./first-step-actions.ts";
import { SETTINGS, usePlaces, usePlacesBeside } from "./places.ts";
import { presentPreferences, setPreferences } from "./preferences.ts";
import { SideBar } from "./side-bar.tsx";

const Palette = lazyPart(() => import("./palette/palette.tsx"));
const Sheet = lazyPart(() => import("./sheet.tsx"));
const SignInAgain = lazyPart(() => import("./identity/sign-in-again.tsx"));
const ConfirmIdentity = lazyPart(() => import("./identity/confirm-identity.tsx"));
const HeldLine = lazyPart(() => import("./held-line.tsx"));
const KeyList = lazyPart(() => import("./palette/key-list.tsx"));

export function Shell() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState<"palette" | "keys" | "side" | null>(null);
  const close = () => setOpen(null);
  const { isSignedOut } = useConnection();
  const isAsked = useIsAsked();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const visit = session?.memberships.find(
    ({ account_id, visit_until }) => account_id === session.account_id && visit_until !== null,
  );
  const groups = usePlaces();
  const beside = usePlacesBeside();
  const takesWindow = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.takesWindow),
  });

  useEffect(() => listenToKeys(), []);
  useRegisterActions([
    { id: "palette", label: t("palette.open"), icon: Search, keys: "mod+k", run: () => setOpen("palette") },
    { id: "keys", label: t("keys.title"), icon: Keyboard, keys: "?", run: () => setOpen("keys") },
    {
      id: "new-campaign",
      label: t("nav.newCampaign"),
      icon: MailPlus,
      keys: "c",
      needs: "campaigns:write",
      run: () => void navigate({ to: "/campaigns", search: { new: true } }),
    },
    { id: "theme", label: t("me.switchTheme"), icon: SunMoon, run: switchTheme },
    ...[...groups.flatMap(({ places }) => places), ...beside, SETTINGS].map(
      ({ to, label, icon, letter }) => ({
        id: to,
        label: t("palette.goTo", { place: t(label) }),
        icon,
        ...(letter && { keys: `g ${letter}` }),
        run: () => void navigate({ to }),
      }),
    ),
  ]);
  useFirstStepActions();
  const bar = { openPalette: () => setOpen("palette"), openKeys: () => setOpen("keys") };
  return (
    <div className={takesWindow ? "app whole" : "app"}>
      <a className="skip" href="#main">
        {t("app.skip")}
      </a>
      {!takesWindow && (
        <aside className="side" aria-label={t("nav.side")}>
          <SideBar {...bar} />
        </aside>
      )}
      <div className="column">
        {!takesWindow && (
          <header className="topbar">
            <Brand />
            <span className="grow" />
            <Button kind="quiet" icon={Search} aria-label={t("palette.open")} onClick={bar.openPalette} />
            <Button kind="quiet" icon={MenuIcon} aria-label={t("nav.open")} onClick={() => setOpen("side")} />
          </header>
        )}
        <main className="main" id="main" tabIndex={-1}>
          <ConnectionLine />
          {account && (
            <Suspense>
              <HeldLine holds={account.holds} visit={visit} />
            </Suspense>
          )}
          <Outlet />
          <AsOf />
        </main>
      </div>
      <Suspense>
        {open === "side" && (
          <Sheet onClose={close}>
            <SideBar {...bar} onLeave={close} />
          </Sheet>
        )}
        {open === "palette" && <Palette onClose={close} />}
        {open === "keys" && <KeyList onClose={close} />}
        {isAsked && !isSignedOut && <ConfirmIdentity />}
        {isSignedOut && <SignInAgain />}
      </Suspense>
    </div>
  );
}

function switchTheme(): void {
  const { theme } = presentPreferences();
  const isDark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  setPreferences({ theme: isDark ? "light" : "dark" });
}
