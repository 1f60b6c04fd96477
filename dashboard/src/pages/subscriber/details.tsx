import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Subscriber } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { useProblemText } from "../../kit/forms/problem-note.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Time } from "../../kit/time.tsx";
import { notify, notifyFailure } from "../../kit/toasts.tsx";
import { ShownValue } from "../../kit/value.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useFields, useLists } from "../subscribers/reference-data.ts";
import { StatusMark } from "../subscribers/status.tsx";
import { Consent } from "./consent.tsx";
import { Row } from "./row.tsx";

const InAutomations = lazyPart(() => import("./in-automations.tsx"));

export function Details({ subscriber, onForget }: { subscriber: Subscriber; onForget: () => void }) {
  const { t } = useTranslation();
  const fields = useFields();
  const { first_name, last_name, locale, time_zone } = subscriber;
  return (
    <aside className="one-side">
      <section className="stack">
        <h2>{t("subscriber.who")}</h2>
        <dl className="kv">
          <Row label={t("subscriber.firstName")}>
            <ShownValue value={first_name} />
          </Row>
          <Row label={t("subscriber.lastName")}>
            <ShownValue value={last_name} />
          </Row>
          {fields.map((field) => (
            <Row key={field.id} label={field.name}>
              <ShownValue value={subscriber.fields[field.key]} />
            </Row>
          ))}
          <Row label={t("subscriber.locale")}>
            <ShownValue value={locale} />
          </Row>
          <Row label={t("settings.timeZone")}>
            <ShownValue value={time_zone} />
          </Row>
          <Row label={t("columns.source")}>{subscriber.source}</Row>
          <Row label={t("columns.joined")}>
            <Time at={subscriber.created_at} />
          </Row>
          <Row label={t("subscriber.id")}>
            <span className="mono break">{subscriber.id}</span>
          </Row>
        </dl>
      </section>
      <Tags subscriber={subscriber} />
      <OnLists subscriber={subscriber} />
      <Suspense>
        <InAutomations id={subscriber.id} />
      </Suspense>
      <Consent subscriber={subscriber} />
      <section className="stack">
        <button type="button" className="text-button danger" onClick={onForget}>
          {t("forget.open")}
        </button>
        <p className="xs dim">{t("forget.what")}</p>
      </section>
    </aside>
  );
}

/** A tag is put on and taken off at once; the toast takes it back. */
function Tags({ subscriber }: { subscriber: Subscriber }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const textOf = useProblemText();
  const [isAdding, setAdding] = useState(false);

  const change = async (body: { add?: string[]; remove?: string[] }) => {
    try {
      await call("POST /v1/subscribers/{id}/tags", { path: { id: subscriber.id }, body });
      await Promise.all(
        ["subscribers", "tags"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
      );
      return true;
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
      return false;
    }
  };
  const remove = async (tag: string) => {
    const isDone = await change({ remove: [tag] });
    const undo = { label: t("do.undo"), run: () => void change({ add: [tag] }) };
    if (isDone) notify(t("tags.removed", { tag }), undo);
  };
  const add = async (tag: string) => {
    setAdding(false);
    if (tag === "" || !(await change({ add: [tag] }))) return;
    notify(t("tags.added", { tag }), { label: t("do.undo"), run: () => void change({ remove: [tag] }) });
  };
  return (
    <section className="stack">
      <h2>{t("columns.tags")}</h2>
      <div className="row wrap">
        {subscriber.tags.map((tag) => (
          <span key={tag} className="badge">
            <span className="trunc">{tag}</span>
            <button
              type="button"
              className="badge-x"
              aria-label={t("tags.remove", { tag })}
              onClick={() => void remove(tag)}
            >
              <Icon of={X} size="sm" />
            </button>
          </span>
        ))}
        {isAdding ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void add(String(new FormData(event.currentTarget).get("tag")).trim());
            }}
          >
            <input
              className="input input-sm tag-input"
              name="tag"
              maxLength={64}
              aria-label={t("tags.name")}
              // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
              autoFocus
              onKeyDown={(event) => event.key === "Escape" && setAdding(false)}
              onBlur={(event) => event.target.value === "" && setAdding(false)}
            />
          </form>
        ) : (
          <button type="button" className="btn btn-quiet btn-sm" onClick={() => setAdding(true)}>
            <Icon of={Plus} size="sm" />
            {t("tags.add")}
          </button>
        )}
      </div>
    </section>
  );
}

/** The same address on other lists. */
function OnLists({ subscriber }: { subscriber: Subscriber }) {
  const { t } = useTranslation();
  const lists = useLists();
  const found = useQuery(query("GET /v1/subscribers/search", { query: { email: subscriber.email } }));
  return (
    <section className="stack">
      <h2>{t("nav.lists")}</h2>
      {(found.data?.data ?? [subscriber]).map((one) => (
        <div key={one.id} className="row between sm">
          <Link to="/subscribers/$id" params={{ id: one.id }} className="trunc link-u">
            {lists.find(({ id }) => id === one.list_id)?.name ?? one.list_id}
          </Link>
          <StatusMark status={one.status} />
        </div>
      ))}
    </section>
  );
}
