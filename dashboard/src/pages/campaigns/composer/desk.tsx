/** The three panes of the composer, under one bar. On a narrow screen they stand below each other in the order of the work. */

import { getRouteApi } from "@tanstack/react-router";
import { ArrowRight, History, Save, Send } from "lucide-react";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck, CampaignPreview } from "../../../api/openapi.ts";
import { isSameValue } from "../../../drafts/draft-fields.ts";
import { lazyPart } from "../../../lazy-page.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { Audience } from "./audience/audience.tsx";
import { ChecksPanel } from "./checks/checks-panel.tsx";
import { ComposerBar } from "./composer-bar.tsx";
import { Content, type ContentHandle } from "./content.tsx";
import { DraftLines } from "./draft/draft-lines.tsx";
import { LeaveComposer } from "./draft/leave-composer.tsx";
import type { Drafting } from "./draft/use-draft.ts";
import { useBar, useContent, useEnvelope } from "./draft/use-envelope.ts";
import { useVariables } from "./editor/use-variables.ts";
import type { LiquidLineHandle } from "./fields/liquid-line.tsx";
import { Options } from "./fields/options.tsx";
import { Sender, useSenderDefaults } from "./fields/sender.tsx";
import { Subject } from "./fields/subject.tsx";
import { InboxRow } from "./preview/inbox-row.tsx";
import { MailPreview } from "./preview/preview.tsx";

const TestCampaign = lazyPart(() => import("./test-send/test-campaign.tsx"));
const ReviewAndSend = lazyPart(async () => ({
  default: (await import("../sending/review.tsx")).ReviewAndSend,
}));
const Versions = lazyPart(() => import("./versions/versions.tsx"));

const route = getRouteApi("/signed-in/campaigns/$id/edit");

type Place = { readonly part?: string; readonly line: number; readonly column: number };

/** What a row in an inbox shows: it is the same for most letters of a mail, and nothing is drawn anew then. */
type RowOf = Pick<CampaignPreview, "from" | "subject" | "preview_text">;

/** What is around the editor is given the same props for each key in it, or drawing it all anew would slow typing. */
export function Desk({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const { draft, campaign, state } = drafting;
  const envelope = useEnvelope(drafting);
  const bar = useBar(drafting);
  const written = useContent(drafting);
  const [open, setOpen] = useState<"test" | "review">();
  const close = () => setOpen(undefined);
  const openTest = useCallback(() => setOpen("test"), []);
  const openReview = useCallback(() => setOpen("review"), []);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = useCallback(
    (change: Partial<typeof search>) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const showAs = useCallback((id: string | null) => show({ as: id ?? undefined }), [show]);
  const openVersions = useCallback(() => show({ versions: true }), [show]);
  const isLocked = state.kind === "locked" || state.kind === "deleted";
  const names = useVariables({
    listId: draft.list_id,
    subscriberId: search.as ?? null,
    campaignName: draft.name,
  });
  // While nothing can be rendered, the row in the inbox says what is known without it.
  const { from_name: usualName, from_email: usualEmail } = useSenderDefaults(draft.list_id);
  const [rendered, setRendered] = useState<RowOf>();
  const showRow = useCallback(
    ({ from, subject, preview_text }: CampaignPreview) =>
      setRendered((before) => {
        const after = { from, subject, preview_text };
        return isSameValue(before, after) ? before : after;
      }),
    [],
  );
  const content = useRef<ContentHandle>(null);
  const subject = useRef<LiquidLineHandle>(null);
  const flush = useCallback(() => content.current?.flush(), []);
  const { heedTyping } = drafting;
  useEffect(() => heedTyping(flush), [heedTyping, flush]);
  const save = () => {
    flush();
    return drafting.save();
  };
  const showPlace = useCallback((place: Place) => {
    if (place.part === "subject") subject.current?.focus();
    else content.current?.show(place);
  }, []);
  const showCheck = useCallback(({ place }: CampaignCheck) => void (place && showPlace(place)), [showPlace]);
  const inboxRow = useMemo(
    () => (
      <InboxRow
        fromName={rendered?.from.name ?? envelope.draft.from_name ?? usualName}
        fromEmail={rendered?.from.email ?? envelope.draft.from_email ?? usualEmail}
        subject={rendered?.subject ?? envelope.draft.subject}
        previewText={rendered?.preview_text ?? envelope.draft.preview_text}
      />
    ),
    [rendered, envelope, usualName, usualEmail],
  );
  useRegisterActions([
    { id: "composer-save", label: t("composer.saveNow"), icon: Save, keys: "mod+s", run: () => void save() },
    { id: "composer-test", label: t("composer.test"), icon: Send, run: openTest },
    {
      id: "composer-review",
      label: t("composer.review"),
      icon: ArrowRight,
      keys: "mod+Enter",
      run: openReview,
    },
    { id: "composer-versions", label: t("composer.versions.title"), icon: History, run: openVersions },
  ]);
  return (
    <div className="composer">
      <ComposerBar drafting={bar} onTest={openTest} onReview={openReview} />
      <DraftLines drafting={drafting} />
      <div className="composer-panes">
        <fieldset className="composer-pane composer-to" disabled={isLocked}>
          <legend className="sr">{t("composer.about")}</legend>
          <Audience drafting={envelope} />
          <Sender drafting={envelope} />
          <Subject drafting={envelope} isLocked={isLocked} names={names} handle={subject}>
            {inboxRow}
          </Subject>
          <Options drafting={envelope} />
        </fieldset>
        <Content
          drafting={written}
          names={names}
          isLocked={isLocked}
          onVersions={openVersions}
          handle={content}
        />
        <div className="composer-pane composer-aside">
          <MailPreview
            campaignId={campaign.id}
            draft={draft}
            subscriberId={search.as ?? null}
            onSubscriber={showAs}
            onRendered={showRow}
            onShow={showPlace}
          />
          <ChecksPanel checks={written.campaign.checks} onShow={showCheck} />
        </div>
      </div>
      <Suspense>
        {open === "review" && (
          <ReviewAndSend campaign={campaign} save={save} onClose={close} onShow={showCheck} />
        )}
        {open === "test" && <TestCampaign drafting={drafting} save={save} as={search.as} onClose={close} />}
        {search.versions && (
          <Versions
            drafting={drafting}
            shown={search.version}
            onShow={(version) => show({ version })}
            onClose={() => show({ versions: undefined, version: undefined })}
          />
        )}
      </Suspense>
      <LeaveComposer drafting={drafting} flush={flush} save={save} />
    </div>
  );
}
