import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookOpen, ChevronsUpDown, Inbox, Search } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../api/may.ts";
import { query, sessionQuery } from "../api/queries.ts";
import { formatNumber } from "../i18n/format.ts";
import { Icon } from "../kit/icon.tsx";
import { initialsOf } from "../kit/initials.ts";
import { lazyPart } from "../lazy-page.ts";
import { keyCaps } from "./actions.ts";
import { Brand } from "./brand.tsx";
import { openAlertsQuery } from "./open-alerts.ts";
import { type Place, SETTINGS, usePlaces } from "./places.ts";
import { RunningImports } from "./running/running-imports.tsx";
import { RunningJobs } from "./running/running-jobs.tsx";

type SideBarProps = { openPalette: () => void; openKeys: () => void; onLeave?: () => void };

export function SideBar({ openPalette, openKeys, onLeave }: SideBarProps) {
  const { t } = useTranslation();
  const groups = usePlaces();
  const may = useMay();
  const account = useQuery(query("GET /v1/account", {}));
  return (
    <>
      <div className="brand">
        <Brand />
        {account.data && <AccountName name={account.data.name} />}
      </div>
      <button type="button" className="search" onClick={openPalette}>
        <Icon of={Search} size="sm" />
        <span className="grow">{t("palette.open")}</span>
        {keyCaps("mod+k").map((cap) => (
          <span key={cap} className="kbd" aria-hidden="true">
            {cap}
          </span>
        ))}
      </button>
      {groups.map(({ label, places }) => (
        <nav key={label} className="nav" aria-label={t(label)}>
          {label !== "nav.main" && (
            <span className="label" aria-hidden="true">
              {t(label)}
            </span>
          )}
          {places.map((place) => (
            <PlaceLink key={place.to} place={place} onLeave={onLeave} />
          ))}
          {label === "nav.developers" && (
            <a href="/docs/">
              <Icon of={BookOpen} />
              {t("nav.docs")}
            </a>
          )}
        </nav>
      ))}
      <div className="side-foot">
        {may("subscribers:read") && <RunningJobs />}
        {may("subscribers:read") && <RunningImports onLeave={onLeave} />}
        <Mode />
        <nav className="nav" aria-label={t("nav.yours")}>
          <PlaceLink place={SETTINGS} onLeave={onLeave} />
        </nav>
        <Me openKeys={openKeys} />
      </div>
    </>
  );
}

const AccountMenu = lazyPart(() => import("./account-menu.tsx"));

/** Which account this is. Whoever belongs to several opens another here. */
function AccountName({ name }: { name: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { data: session } = useQuery(sessionQuery);
  if (!session || session.memberships.length < 2) {
    return <span className="acct badge line trunc">{name}</span>;
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="acct badge line"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={t("nav.account", { name })}
        onClick={() => setOpen(true)}
      >
        <span className="trunc">{name}</span>
        <Icon of={ChevronsUpDown} size="sm" />
      </button>
      <Suspense>
        {isOpen && <AccountMenu anchor={button} session={session} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}

/** Whether mail leaves, and by what. It is never hidden: a newcomer's first fear is that something leaves by mistake. */
function Mode() {
  const { t } = useTranslation();
  const { data } = useQuery(query("GET /v1/sending", {}));
  // The box has its place before it is known what stands in it, so that nothing moves.
  if (!data) return <div className="mode" />;
  const isLive = data.leaves_by !== "sandbox";
  return (
    <div className="mode">
      <b>
        {isLive ? <span className="dot c-accent" /> : <Icon of={Inbox} size="sm" />}
        {isLive ? t("mode.live") : t("mode.sandbox")}
      </b>
      <span className="break">{isLive ? (data.host ?? t("mode.byInstance")) : t("mode.nothingLeaves")}</span>
    </div>
  );
}

function PlaceLink({ place, onLeave }: { place: Place; onLeave: (() => void) | undefined }) {
  const { t } = useTranslation();
  return (
    <Link
      to={place.to}
      activeOptions={{ exact: place.to === "/" }}
      activeProps={{ "aria-current": "page" }}
      onClick={() => onLeave?.()}
    >
      <Icon of={place.icon} />
      {t(place.label)}
      {place.to === "/campaigns" && <SendingDot />}
      {place.to === "/deliverability" && <OpenAlerts />}
    </Link>
  );
}

/** It is there while a campaign is being sent. */
function SendingDot() {
  const { t } = useTranslation();
  const { data: counts } = useQuery(query("GET /v1/campaigns/counts", { query: {} }));
  if (!counts || counts.sending === 0) return null;
  return (
    <span className="live">
      <span className="dot pulse sending-dot" />
      <span className="sr">{t("nav.sending")}</span>
    </span>
  );
}

/** How many alerts wait for somebody. */
function OpenAlerts() {
  const { t } = useTranslation();
  const { data: count = 0 } = useQuery(openAlertsQuery);
  if (count === 0) return null;
  const number = formatNumber(count);
  return (
    <span className="n">
      <span aria-hidden="true">{number}</span>
      <span className="sr">{t("nav.alerts", { count, number })}</span>
    </span>
  );
}

const MeMenu = lazyPart(() => import("./me-menu.tsx"));

/** Who is signed in, and the way out. */
function Me({ openKeys }: { openKeys: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { data: session } = useQuery(sessionQuery);
  const name = session?.user.name || session?.user.email || "";
  return (
    <>
      <button
        ref={button}
        type="button"
        className="me"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span className="avatar" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span className="grow trunc med">{name}</span>
        <Icon of={ChevronsUpDown} size="sm" />
      </button>
      <Suspense>
        {isOpen && <MeMenu anchor={button} openKeys={openKeys} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
