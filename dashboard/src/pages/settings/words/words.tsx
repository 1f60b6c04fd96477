/** The words of the pages that recipients see, in each language; the account may say any of them in its own way. */
import "../../../i18n/later/settings/page-words.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PageLocales, PageWords } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { LANGUAGE } from "../../../i18n/i18n.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { SearchBox } from "../../../shell/search-box.tsx";
import { EditText } from "./edit-text.tsx";
import { groupTexts, type PageText } from "./text-groups.ts";

const route = getRouteApi("/signed-in/settings/words");
const USUAL_LOCALE = "en";
const MOST_TYPED = 200;

export function WordsSettings() {
  const { t } = useTranslation();
  const { locale = USUAL_LOCALE } = route.useSearch();
  const locales = useQuery(query("GET /v1/page_words", {}));
  const words = useQuery(query("GET /v1/page_words/{locale}", { path: { locale } }));
  const error = locales.error ?? words.error;
  const retry = () => void Promise.all([locales.refetch(), words.refetch()]);
  return (
    <section className="stack-4">
      <div>
        <h2>{t("pageWords.title")}</h2>
        <p className="sm dim">{t("pageWords.lead")}</p>
      </div>
      {locales.data && words.data ? (
        <Shown key={locale} locales={locales.data} words={words.data} />
      ) : error ? (
        <Failure title={t("pageWords.unreadable")} error={error} retry={retry} />
      ) : (
        <SkeletonLines lines={8} />
      )}
    </section>
  );
}

function Shown({ locales, words }: { locales: PageLocales; words: PageWords }) {
  const { t } = useTranslation();
  const { own: isOwnOnly = false, q: typed = "" } = route.useSearch();
  const [open, setOpen] = useState<PageText | null>(null);
  const groups = groupTexts(words, { typed, isOwnOnly });
  const count = groups.reduce((sum, { texts }) => sum + texts.length, 0);
  return (
    <>
      <Tools locales={locales} />
      <p className="sm dim" role="status">
        {t("pageWords.shown", { count, number: formatNumber(count) })}
      </p>
      {groups.length === 0 && (
        <Empty
          title={t("pageWords.none")}
          text={t(isOwnOnly && typed === "" ? "pageWords.noneOwn" : "pageWords.noneMatch")}
        />
      )}
      {groups.map(({ group, texts }) => (
        <section key={group} className="panel">
          <h3 className="words-h">{t(`pageWords.groups.${group}`)}</h3>
          <ul>
            {texts.map((text) => (
              <TextRow key={text.key} text={text} words={words} onEdit={() => setOpen(text)} />
            ))}
          </ul>
        </section>
      ))}
      {open && <EditText words={words} text={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function Tools({ locales }: { locales: PageLocales }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="table-tools words-tools">
      <label className="row sm">
        <span className="dim">{t("pageWords.language")}</span>
        <select
          className="input input-sm"
          value={search.locale ?? USUAL_LOCALE}
          onChange={({ target }) => void navigate({ search: { ...search, locale: target.value } })}
        >
          {locales.data.map(({ locale, own_texts: count }) => (
            <option key={locale} value={locale}>
              {count === 0
                ? nameOf(locale)
                : t("pageWords.languageOption", { name: nameOf(locale), count, number: formatNumber(count) })}
            </option>
          ))}
        </select>
      </label>
      <SearchBox
        value={search.q}
        label={t("pageWords.search")}
        placeholder={t("pageWords.search")}
        maxLength={MOST_TYPED}
        onSearch={(q) => void navigate({ search: { ...search, q } })}
      />
      <label className="row sm">
        <input
          type="checkbox"
          checked={search.own ?? false}
          onChange={({ target }) =>
            void navigate({ search: { ...search, own: target.checked ? true : undefined } })
          }
        />
        {t("pageWords.ownOnly")}
      </label>
    </div>
  );
}

const names = new Intl.DisplayNames(LANGUAGE, { type: "language" });
const nameOf = (locale: string) => names.of(locale) ?? locale;

type RowProps = { text: PageText; words: PageWords; onEdit: () => void };

function TextRow({ text: { key, standard, own }, words: { direction, locale }, onEdit }: RowProps) {
  const { t } = useTranslation();
  const shown = own ?? standard;
  return (
    <li className="words-row">
      <div className="stack tight">
        <span className="break" dir={direction} lang={locale}>
          {shown}
        </span>
        <span className="row wrap">
          <span className="xs dim mono break">{key}</span>
          {own !== undefined && <span className="badge accent">{t("pageWords.yours")}</span>}
        </span>
      </div>
      <Button
        size="sm"
        kind="quiet"
        icon={Pencil}
        aria-label={t("pageWords.changeOf", { text: shown })}
        title={t("pageWords.change")}
        onClick={onEdit}
      />
    </li>
  );
}
