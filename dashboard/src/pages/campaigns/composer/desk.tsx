/** The three panes of the composer, under one bar. On a narrow screen they stand below each other in the order of the work. */
import { getRouteApi } from "@tanstack/react-router";
import { ArrowRight, History, Save, Send } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignPreview } from "../../../api/openapi.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { Audience } from "./audience/audience.tsx";
import { ChecksPanel } from "./checks/checks-panel.tsx";
import { ComposerBar } from "./composer-bar.tsx";
import { Content, type ContentHandle } from "./content.tsx";
import { DraftLines } from "./draft/draft-lines.tsx";
import { LeaveComposer } from "./draft/leave-composer.tsx";
import type { Drafting } from "./draft/use-draft.ts";
import { useVariables } from "./editor/use-variables.ts";
import type { LiquidLineHandle } from "./fields/liquid-line.tsx";
import { Options } from "./fields/options.tsx";
import { Sender, useSenderDefaults } from "./fields/sender.tsx";
import { Subject } from "./fields/subject.tsx";
import { InboxRow } from "./preview/inbox-row.tsx";
import { MailPreview } from "./preview/preview.tsx";

const TestSend = lazy(() => import("./test-send/test-send.tsx"));
const ReviewAndSend = lazy(async () => ({
  default: (await import("../sending/review.tsx")).ReviewAndSend,
}));
const Versions = lazy(() => import("./versions/versions.tsx"));

const route = getRouteApi("/signed-in/campaigns/$id/edit");

type Place = { readonly part?: string; readonly line: number; readonly column: number };

export function Desk({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const { draft, campaign, state } = drafting;
  const [open, setOpen] = useState<"test" | "review">();
  const close = () => setOpen(undefined);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const openVersions = () => show({ versions: true });
  const isLocked = state.kind === "locked" || state.kind === "deleted";
  const names = useVariables({
    listId: draft.list_id,
    subscriberId: search.as ?? null,
    campaignName: draft.name,
  });
  // While nothing can be rendered, the row in the inbox says what is known without it.
  const sender = useSenderDefaults(draft.list_id);
  const [rendered, setRendered] = useState<CampaignPreview>();
  const content = useRef<ContentHandle>(null);
  const subject = useRef<LiquidLineHandle>(null);
  const save = () => {
    content.current?.flush();
    return drafting.save();
  };
  const showPlace = (place: Place) => {
    if (place.part === "subject") subject.current?.focus();
    else content.current?.show(place);
  };
  useRegisterActions([
    { id: "composer-save", label: t("composer.saveNow"), icon: Save, keys: "mod+s", run: () => void save() },
    { id: "composer-test", label: t("composer.test"), icon: Send, run: () => setOpen("test") },
    {
      id: "composer-review",
      label: t("composer.review"),
      icon: ArrowRight,
      keys: "mod+Enter",
      run: () => setOpen("review"),
    },
    { id: "composer-versions", label: t("composer.versions.title"), icon: History, run: openVersions },
  ]);
  return (
    <div className="composer">
      <ComposerBar drafting={drafting} onTest={() => setOpen("test")} onReview={() => setOpen("review")} />
      <DraftLines drafting={drafting} />
      <div className="composer-panes">
        <fieldset className="composer-pane composer-to" disabled={isLocked}>
          <legend className="sr">{t("composer.about")}</legend>
          <Audience drafting={drafting} />
          <Sender drafting={drafting} />
          <Subject drafting={drafting} isLocked={isLocked} names={names} handle={subject}>
            <InboxRow
              fromName={rendered?.from.name ?? draft.from_name ?? sender.from_name}
              fromEmail={rendered?.from.email ?? draft.from_email ?? sender.from_email}
              subject={rendered?.subject ?? draft.subject}
              previewText={rendered?.preview_text ?? draft.preview_text}
            />
          </Subject>
          <Options drafting={drafting} />
        </fieldset>
        <Content
          drafting={drafting}
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
            onSubscriber={(id) => show({ as: id ?? undefined })}
            onRendered={setRendered}
            onShow={showPlace}
          />
          <ChecksPanel checks={campaign.checks} onShow={(check) => check.place && showPlace(check.place)} />
        </div>
      </div>
      <Suspense>
        {open === "review" && (
          <ReviewAndSend
            campaign={campaign}
            save={save}
            onClose={close}
            onShow={(check) => check.place && showPlace(check.place)}
          />
        )}
        {open === "test" && <TestSend drafting={drafting} save={save} as={search.as} onClose={close} />}
        {search.versions && (
          <Versions
            drafting={drafting}
            shown={search.version}
            onShow={(version) => show({ version })}
            onClose={() => show({ versions: undefined, version: undefined })}
          />
        )}
      </Suspense>
      <LeaveComposer drafting={drafting} save={save} />
    </div>
  );
}
