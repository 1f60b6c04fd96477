/** ⌘K: go somewhere, do something, or find a campaign, a list, a segment, or a person by address or id. */
import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleDashed, Search, Settings, UserRound } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { useMay } from "../../api/may.ts";
import { Icon } from "../../kit/icon.tsx";
import { type Action, keyCaps, useActions } from "../actions.ts";
import { useSettingsSections } from "../settings-sections.ts";
import { useSettled } from "../use-settled.ts";
import { type Found, matches, useCampaignsNamed, useListsNamed, useSegmentsNamed } from "./find-by-name.ts";
import { useMails } from "./find-mails.ts";

type Entry = Action & { readonly note?: string };

export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const settled = useSettled(text.trim());
  const people = usePeople(settled);
  const campaigns = useCampaignsNamed(settled);
  const segments = useSegmentsNamed(settled);
  const lists = useListsNamed(settled);
  const mails = useMails(settled);
  const isSearching =
    text.trim() !== settled || [people, campaigns, segments, lists, mails].some((one) => one.isSearching);
  const settings = useSettingsActions();
  const known = [...useActions(), ...(text.trim() ? settings : [])]
    .filter(({ id }) => id !== "palette")
    .filter(({ label }) => matches(label, text));
  const groups = [
    { label: t("palette.people"), entries: people.entries },
    { label: t("nav.campaigns"), entries: campaigns.entries },
    { label: t("palette.segments"), entries: segments.entries },
    // Who has the address comes first, so Enter mustn't choose its mails because they are there sooner.
    { label: t("nav.emails"), entries: people.isSearching ? [] : mails.entries },
    { label: t("palette.go"), entries: known.filter(isPlace) },
    { label: t("palette.do"), entries: known.filter((entry) => !isPlace(entry)) },
    { label: t("nav.lists"), entries: lists.entries },
  ].filter((group) => group.entries.length > 0);
  const entries: readonly Entry[] = groups.flatMap((group) => group.entries);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // The dialog gives the focus back first, so that what the action opens can take it.
    requestAnimationFrame(() => entry.run());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((chosen + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === "Enter") run(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim-cover" />
        <Dialog.Popup className="dialog palette" aria-label={t("palette.open")}>
          <div className="palette-input">
            <Icon of={Search} />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls="palette-list"
              aria-activedescendant={entries[chosen] && optionId(entries[chosen])}
              aria-label={t("palette.open")}
              placeholder={t("palette.hint")}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
            />
            <span className="kbd" aria-hidden="true">
              {t("palette.escape")}
            </span>
          </div>
          <div
            className="palette-list pop"
            id="palette-list"
            role="listbox"
            aria-label={t("palette.results")}
            ref={list}
          >
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a list of options.
              <div key={group.label} role="group" aria-label={group.label}>
                <div className="label" aria-hidden="true">
                  {group.label}
                </div>
                {group.entries.map((entry) => (
                  <Option
                    key={entry.id}
                    entry={entry}
                    isChosen={entry === entries[chosen]}
                    choose={() => setChosen(entries.indexOf(entry))}
                    run={() => run(entry)}
                  />
                ))}
              </div>
            ))}
          </div>
          {entries.length === 0 && (
            <p className="palette-none dim sm">{isSearching ? t("palette.searching") : t("palette.none")}</p>
          )}
          <div className="palette-foot row xs dim hide-s" aria-hidden="true">
            <Cap cap="↑" />
            <Cap cap="↓" />
            <span>{t("palette.move")}</span>
            <Cap cap="↵" />
            <span>{t("palette.choose")}</span>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type OptionProps = { entry: Entry; isChosen: boolean; choose: () => void; run: () => void };

function Option({ entry, isChosen, choose, run }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard.
    // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus, as a combobox does.
    <div
      id={optionId(entry)}
      role="option"
      aria-selected={isChosen}
      className={isChosen ? "opt on" : "opt"}
      onPointerMove={choose}
      onClick={run}
    >
      <Icon of={entry.icon ?? CircleDashed} />
      <span className="trunc">{entry.label}</span>
      {entry.note && <span className="dim trunc">{entry.note}</span>}
      <span className="grow" />
      {entry.keys && keyCaps(entry.keys).map((cap) => <Cap key={cap} cap={cap} />)}
    </div>
  );
}

/** The parts of the settings, for whoever looks for one of them by its name. */
function useSettingsActions(): readonly Entry[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return useSettingsSections().map(({ to, label }) => ({
    id: to,
    label: t("palette.setting", { section: t(label) }),
    icon: Settings,
    run: () => void navigate({ to }),
  }));
}

/** The shell's actions that lead to a page are named by its address. */
const isPlace = ({ id }: Entry) => id.startsWith("/");

function Cap({ cap }: { cap: string }) {
  return (
    <span className="kbd" aria-hidden="true">
      {cap}
    </span>
  );
}

const optionId = ({ id }: Entry) => `palette-${id.replaceAll(/\W/g, "-")}`;

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const ID = /^sub_[0-9a-z]{26}$/;
const MOST_PEOPLE = 5;

/** People whose address or id is the text. */
function usePeople(text: string): Found<Entry> {
  const navigate = useNavigate();
  const mayRead = useMay()("subscribers:read");
  const { data = [], isLoading } = useQuery({
    queryKey: ["subscribers", "palette", text],
    enabled: mayRead && (ADDRESS.test(text) || ID.test(text)),
    queryFn: async () => {
      if (ID.test(text)) return [await call("GET /v1/subscribers/{id}", { path: { id: text } })];
      return (await call("GET /v1/subscribers/search", { query: { email: text, limit: MOST_PEOPLE } })).data;
    },
  });
  const entries = data.map(({ id, email, first_name, last_name }) => ({
    id,
    label: email,
    note: [first_name, last_name].filter(Boolean).join(" "),
    icon: UserRound,
    run: () => void navigate({ to: "/subscribers/$id", params: { id } }),
  }));
  return { entries, isSearching: isLoading };
}
