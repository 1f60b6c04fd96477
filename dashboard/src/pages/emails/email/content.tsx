/** The mail as it was made: as its reader sees it, as text, by its headers, and the whole without attachments. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Archive } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../api/account.ts";
import { call } from "../../../api/client.ts";
import type { EmailContent, EmailDetail } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { AuthorFrame, AuthorFrameTools } from "../../../kit/author-frame.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { type EmailSearch, VIEWS, type View } from "../search.ts";

const route = getRouteApi("/signed-in/emails/$id");

const NO_FAULT = {
  email_content_gone: "emails.contentGone",
  email_content_unreadable: "emails.contentSealed",
  email_content_private: "emails.contentPrivate",
} as const;

/** It never changes, but for the Message-ID, which a mail has once it is about to leave. */
export const contentQuery = ({ id, status }: Pick<EmailDetail, "id" | "status">) =>
  queryOptions({
    queryKey: ["email_content", id, status === "scheduled"],
    queryFn: ({ signal }) => call("GET /v1/emails/{id}/content", { path: { id }, signal }),
    staleTime: Infinity,
    retry: (failures, error) => !(asApiError(error).code in NO_FAULT) && failures < 2,
  });

export function Content({ email }: { email: EmailDetail }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(contentQuery(email));
  return (
    <section className="email-content" aria-labelledby="as-made">
      <h2 id="as-made">{t("emails.asMade")}</h2>
      {data ? (
        <Shown content={data} />
      ) : error ? (
        <NotShown error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </section>
  );
}

/** What is gone or kept from everybody stays so, and is no fault. */
function NotShown({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useTranslation();
  const { code } = asApiError(error);
  const words = NO_FAULT[code as keyof typeof NO_FAULT];
  if (!words) return <Failure title={t("emails.contentUnreadable")} error={error} retry={retry} />;
  return (
    <div className="note">
      <Icon of={Archive} />
      <span>{t(words)}</span>
    </div>
  );
}

function Shown({ content }: { content: EmailContent }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [hasAllPictures, setAllPictures] = useState(false);
  const change = (next: EmailSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const hasHtml = content.html !== null;
  const views = VIEWS.filter((one) => one !== "mail" || hasHtml);
  const view = views.find((one) => one === search.view) ?? (hasHtml ? "mail" : "text");
  return (
    <div className="email-sheet">
      <div className="author-bar">
        <fieldset className="seg" aria-label={t("inbox.view")}>
          {views.map((one) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => change({ view: one })}>
              {t(`inbox.views.${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="grow" />
        {view === "mail" ? (
          <AuthorFrameTools
            look={search}
            onLook={({ width, dark }) => change({ width, dark })}
            hasAllPictures={hasAllPictures}
            onPictures={() => setAllPictures(true)}
          />
        ) : (
          <CopyButton size="sm" text={textOf(content, view)} />
        )}
      </div>
      {view === "mail" ? (
        <div className="author-ground">
          <AuthorFrame
            title={t("inbox.frame")}
            width={search.width}
            dark={search.dark}
            src={ofAccount(
              `/v1/emails/${encodeURIComponent(content.email_id)}/html${hasAllPictures ? "?pictures=all" : ""}`,
            )}
          />
        </div>
      ) : view === "headers" ? (
        <Headers content={content} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused.
        <pre className="code folded email-plain" tabIndex={0}>
          {textOf(content, view).trim() === "" ? t("inbox.noText") : textOf(content, view)}
        </pre>
      )}
    </div>
  );
}

function Headers({ content }: { content: EmailContent }) {
  return (
    <dl className="email-headers code email-plain">
      {content.headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand there twice, and the order never changes.
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function textOf({ text, headers, raw }: EmailContent, view: View): string {
  if (view === "raw") return raw;
  if (view === "headers") return headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
  return text ?? "";
}
