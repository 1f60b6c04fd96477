/** The three panes of the composer, under one bar. On a narrow screen they stand below each other in the order of the work. */
import { getRouteApi } from "@tanstack/react-router";
import { History, Save, Send } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRegisterActions } from "../../../shell/actions.ts";
import { Audience } from "./audience/audience.tsx";
import { ComposerBar } from "./composer-bar.tsx";
import { Content } from "./content.tsx";
import { DraftLines } from "./draft/draft-lines.tsx";
import { LeaveComposer } from "./draft/leave-composer.tsx";
import type { Drafting } from "./draft/use-draft.ts";
import { Options } from "./fields/options.tsx";
import { Sender } from "./fields/sender.tsx";
import { Subject } from "./fields/subject.tsx";

const TestSend = lazy(() => import("./test-send/test-send.tsx"));
const Versions = lazy(() => import("./versions/versions.tsx"));

const route = getRouteApi("/signed-in/campaigns/$id/edit");

type Open = "test" | "review";

export function Desk({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const openVersions = () => show({ versions: true });
  const isLocked = drafting.state.kind === "locked" || drafting.state.kind === "deleted";
  useRegisterActions([
    {
      id: "composer-save",
      label: t("composer.saveNow"),
      icon: Save,
      keys: "mod+s",
      run: () => void drafting.save(),
    },
    { id: "composer-test", label: t("composer.test"), icon: Send, run: () => setOpen("test") },
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
          <Subject drafting={drafting} isLocked={isLocked} />
          <Options drafting={drafting} />
        </fieldset>
        <Content drafting={drafting} isLocked={isLocked} onVersions={openVersions} />
      </div>
      <Suspense>
        {open === "test" && <TestSend drafting={drafting} as={search.as} onClose={close} />}
        {search.versions && (
          <Versions
            drafting={drafting}
            shown={search.version}
            onShow={(version) => show({ version })}
            onClose={() => show({ versions: undefined, version: undefined })}
          />
        )}
      </Suspense>
      <LeaveComposer drafting={drafting} />
    </div>
  );
}
