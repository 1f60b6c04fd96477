/** One mail of the sandbox: as its reader sees it, as text, by its headers, and as it was sent. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, Download } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../api/account.ts";
import type { SandboxMessage } from "../../api/openapi.ts";
import { readProblem } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { AuthorFrame, AuthorFrameTools } from "../../kit/author-frame.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { type InboxSearch, VIEWS, type View } from "./search.ts";

const route = getRouteApi("/signed-in/inbox");

export function Message({ id }: { id: string }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const message = useQuery(query("GET /v1/sandbox/messages/{id}", { path: { id } }));
  const { data, error, refetch } = message;
  return (
    <section className="inbox-message" aria-label={t("inbox.one")}>
      <Link className="btn btn-sm only-s" to="/inbox" search={{ ...search, message: undefined }}>
        <Icon of={ArrowLeft} />
        {t("inbox.back")}
      </Link>
      {data ? (
        <Shown message={data} />
      ) : error ? (
        <Failure title={t("inbox.gone")} error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonLines lines={6} />
      )}
    </section>
  );
}

function Shown({ message }: { message: SandboxMessage }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [hasAllPictures, setAllPictures] = useState(false);
  const change = (next: InboxSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const view = search.view ?? (message.html === null ? "text" : "mail");
  return (
    <>
      <Envelope message={message} />
      <div className="author-bar">
        <fieldset className="seg" aria-label={t("inbox.view")}>
          {VIEWS.filter((one) => one !== "mail" || message.html !== null).map((one) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => change({ view: one })}>
              {t(`inbox.views.${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="grow" />
        {view === "mail" && (
          <AuthorFrameTools
            look={search}
            onLook={({ width, dark }) => change({ width, dark })}
            hasAllPictures={hasAllPictures}
            onPictures={() => setAllPictures(true)}
          />
        )}
        <a
          className="btn btn-quiet btn-icon btn-sm"
          href={rawAddress(message.id)}
          download={`${message.id}.eml`}
          aria-label={t("inbox.download")}
        >
          <Icon of={Download} />
        </a>
        <span className="xs dim num">
          {t("inbox.size", { number: formatNumber(Math.ceil(message.size / 1_024)) })}
        </span>
      </div>
      <Content view={view} message={message} hasAllPictures={hasAllPictures} />
    </>
  );
}

function Envelope({ message }: { message: SandboxMessage }) {
  const { t } = useTranslation();
  const header = (name: string) => message.headers.find((one) => one.name.toLowerCase() === name)?.value;
  const subscribers = useQuery(
    query("GET /v1/subscribers/search", { query: { email: message.to, limit: 1 } }),
  );
  const [subscriber] = subscribers.data?.data ?? [];
  return (
    <div className="inbox-envelope">
      <h2>{message.subject || t("inbox.noSubject")}</h2>
      <dl>
        <dt>{t("inbox.from")}</dt>
        <dd>{header("from") ?? message.from}</dd>
        <dt>{t("inbox.to")}</dt>
        <dd>
          {message.to}{" "}
          {subscriber && (
            <Link className="link" to="/subscribers/$id" params={{ id: subscriber.id }}>
              {t("inbox.subscriber")}
            </Link>
          )}
        </dd>
        {message.email_id && (
          <>
            <dt>{t("nav.emails")}</dt>
            <dd>
              <Link className="link-u" to="/emails/$id" params={{ id: message.email_id }}>
                {t("inbox.openEmail")}
              </Link>
            </dd>
          </>
        )}
        {message.campaign_id && (
          <>
            <dt>{t("inbox.of")}</dt>
            <dd>
              <Link className="link-u" to="/campaigns/$id" params={{ id: message.campaign_id }}>
                {t("inbox.openCampaign")}
              </Link>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

type ContentProps = { view: View; message: SandboxMessage; hasAllPictures: boolean };

function Content({ view, message, hasAllPictures }: ContentProps) {
  const { t } = useTranslation();
  const { width, dark } = route.useSearch();
  if (view === "headers") {
    return (
      <div className="inbox-plain">
        <dl className="inbox-headers code">
          {message.headers.map(({ name, value }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand there twice, and the order never changes.
            <div key={at}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    );
  }
  if (view === "raw") return <Raw id={message.id} />;
  if (view === "text" || message.html === null) {
    return <Plain text={message.text ?? ""} none={t("inbox.noText")} />;
  }
  const pictures = hasAllPictures ? "?pictures=all" : "";
  return (
    <div className="author-ground">
      <AuthorFrame
        title={t("inbox.frame")}
        links="open"
        width={width}
        dark={dark}
        src={ofAccount(`/v1/sandbox/messages/${encodeURIComponent(message.id)}/html${pictures}`)}
      />
    </div>
  );
}

const rawAddress = (id: string) => ofAccount(`/v1/sandbox/messages/${encodeURIComponent(id)}/raw`);

/** A message is bytes; whoever looks at it here sees them as UTF-8. */
const rawQuery = (id: string) =>
  queryOptions({
    queryKey: ["sandbox", "raw", id],
    queryFn: async ({ signal }) => {
      const response = await fetch(rawAddress(id), { signal });
      if (!response.ok) throw await readProblem(response);
      return response.text();
    },
  });

function Raw({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(rawQuery(id));
  if (error) return <Failure title={t("inbox.gone")} error={error} retry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={6} />;
  return <Plain text={data} none={t("inbox.noText")} />;
}

function Plain({ text, none }: { text: string; none: string }) {
  return (
    <div className="inbox-plain">
      <div className="row end">
        <CopyButton text={text} size="sm" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused. */}
      <pre className="code" tabIndex={0}>
        {text.trim() === "" ? none : text}
      </pre>
    </div>
  );
}
