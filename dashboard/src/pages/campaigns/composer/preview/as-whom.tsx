/** Chooses as whom the mail is seen: somebody on the list, or somebody made up. */
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Search, UserRound, VenetianMask } from "lucide-react";
import { type KeyboardEvent, memo, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { Subscriber } from "../../../../api/openapi.ts";
import { query } from "../../../../api/queries.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { Popup } from "../../../../kit/overlays/popup.tsx";
import { useSettled } from "../../../../shell/use-settled.ts";

type AsWhomProps = {
  listId: string;
  subscriberId: string | null;
  onSubscriber: (id: string | null) => void;
  /** What it is for, and what choosing nobody means, where that isn't somebody made up. */
  label?: string;
  nobody?: string;
};

export const AsWhom = memo(function AsWhom({
  listId,
  subscriberId,
  onSubscriber,
  label,
  nobody,
}: AsWhomProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const chosen = useQuery({
    ...query("GET /v1/subscribers/{id}", { path: { id: subscriberId ?? "" } }),
    enabled: subscriberId !== null,
  });
  const name =
    subscriberId === null
      ? (nobody ?? t("mailPreview.as.madeUp"))
      : chosen.data
        ? nameOf(chosen.data)
        : chosen.error
          ? t("mailPreview.as.gone")
          : "";
  return (
    <>
      <span className="sm dim" aria-hidden="true">
        {label ?? t("mailPreview.as.label")}
      </span>
      <button
        ref={button}
        type="button"
        className="input input-sm as-whom"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label === undefined ? t("mailPreview.as.now", { name }) : `${label}: ${name}`}
        onClick={() => setOpen(true)}
      >
        <span className="trunc med">{name}</span>
        <Icon of={ChevronDown} size="sm" />
      </button>
      {isOpen && (
        <Popup
          anchor={button}
          label={t("mailPreview.as.choose")}
          className="as-whom-pop"
          align="end"
          onClose={() => setOpen(false)}
        >
          <People
            listId={listId}
            subscriberId={subscriberId}
            nobody={nobody}
            onChoose={(id) => {
              setOpen(false);
              onSubscriber(id);
            }}
          />
        </Popup>
      )}
    </>
  );
});

const MOST = 8;

function People({
  listId,
  subscriberId,
  nobody,
  onChoose,
}: {
  listId: string;
  subscriberId: string | null;
  nobody: string | undefined;
  onChoose: (id: string | null) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const wanted = useSettled(text.trim());
  const found = useQuery({
    queryKey: ["subscribers", "as-whom", listId, wanted],
    queryFn: ({ signal }) => findPeople(listId, wanted, signal),
  });
  const people = found.data ?? [];
  const isWaiting = wanted !== text.trim() || found.isLoading;
  const options = [null, ...people];
  const present = Math.min(at, options.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((present + step + options.length) % options.length);
    else if (event.key === "Enter") onChoose(options[present]?.id ?? null);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="input input-sm">
        <Icon of={Search} size="sm" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={`${id}-${present}`}
          aria-label={t("mailPreview.as.find")}
          placeholder={t("mailPreview.as.find")}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            // Who looks for somebody means the first of them, and not the one who is made up.
            setAt(event.target.value.trim() === "" ? 0 : 1);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={`${id}-list`} aria-label={t("mailPreview.as.choose")}>
        {options.map((person, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <div
            key={person?.id ?? "made-up"}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === present}
            className={index === present ? "opt on" : "opt"}
            onMouseMove={() => setAt(index)}
            onClick={() => onChoose(person?.id ?? null)}
          >
            <Icon of={person ? UserRound : VenetianMask} size="sm" />
            <span className="med">{person ? nameOf(person) : (nobody ?? t("mailPreview.as.madeUp"))}</span>
            <span className="dim">{person && nameOf(person) !== person.email && person.email}</span>
            {(person?.id ?? null) === subscriberId && (
              <span className="badge">{t("mailPreview.as.chosen")}</span>
            )}
          </div>
        ))}
      </div>
      <p className="xs dim as-whom-none" role="status">
        {people.length === 0 && !isWaiting && t("mailPreview.as.none")}
      </p>
    </>
  );
}

function nameOf({ first_name, last_name, email }: Subscriber): string {
  return [first_name, last_name].filter(Boolean).join(" ") || email;
}

const MOST_WORDS = 4;

/** The newest of the list, or those in whose address or name every word is. */
async function findPeople(listId: string, text: string, signal: AbortSignal): Promise<readonly Subscriber[]> {
  if (text === "") {
    const page = await call("GET /v1/subscribers", { query: { list_id: listId, limit: MOST }, signal });
    return page.data;
  }
  const fields = ["email", "first_name", "last_name"];
  const all = text
    .split(/\s+/)
    .slice(0, MOST_WORDS)
    .map((value) => ({ any: fields.map((field) => ({ field, op: "contains", value })) }));
  const body = { list_id: listId, rules: { all }, include_steps: false };
  const { sample } = await call("POST /v1/segments/preview", { body, signal });
  return (sample ?? []).slice(0, MOST);
}
