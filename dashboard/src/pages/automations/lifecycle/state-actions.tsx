/** The state of an automation, and what can be done about it. */
import { Archive, Ban, LogOut, Pause, Play, Rocket } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useHasFeature } from "../../../api/plan-features.ts";
import { asApiError } from "../../../api/problem.ts";
import { formatNumber, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { useEditing } from "../editor/editing.ts";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { Publish } from "./publish.tsx";
import { type Overdue, overdueOf, Resume } from "./resume.tsx";
import { SandboxNote } from "./sandbox-note.tsx";
import { StartDialog } from "./start.tsx";
import { Status } from "./status.tsx";
import { useLifecycle } from "./use-lifecycle.ts";
import { useLiveVersion } from "./use-live-version.ts";

export function StateLine({ drafting }: { drafting: AutomationDrafting }) {
  const { t } = useTranslation();
  const { status, live_version: version, paused_at: pausedAt } = drafting.automation;
  const { isChanged } = useLiveVersion(drafting);
  const whole = useEditing().counts?.whole;
  return (
    <>
      <Status status={status} />
      {whole && whole.entered > 0 && (
        <>
          <span>
            {t("lifecycle.counts.active", { count: whole.active, number: formatNumber(whole.active) })}
          </span>
          <span>
            {t("lifecycle.counts.through", {
              entered: formatNumber(whole.entered),
              completed: formatNumber(whole.completed),
            })}
          </span>
        </>
      )}
      {pausedAt && <span>{t("lifecycle.pausedSince", { time: formatTime(pausedAt) })}</span>}
      {version !== null && (
        <span>
          {t(isChanged ? "lifecycle.versionChanged" : "lifecycle.version", { number: formatNumber(version) })}
        </span>
      )}
    </>
  );
}

type Asked = "start" | "publish" | "drain" | "cancel";

/** What the plan has to include automations for. */
const STARTS: readonly string[] = ["publish", "resume", "start"];

export function useStateActions(drafting: AutomationDrafting) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked>();
  const [overdue, setOverdue] = useState<readonly Overdue[]>();
  const [busy, setBusy] = useState(false);
  const { go, resume, tell } = useLifecycle(drafting);
  const { isChanged, isSandbox } = useLiveVersion(drafting);
  const { automation, draft } = drafting;
  const hasFeature = useHasFeature("automations");
  const may = (action: (typeof automation.allowed_actions)[number]) =>
    automation.allowed_actions.includes(action) && (hasFeature || !STARTS.includes(action));
  const close = () => setAsked(undefined);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (thrown) {
      const found = overdueOf(asApiError(thrown));
      if (found) setOverdue(found);
      else tell(thrown);
    } finally {
      setBusy(false);
    }
  };
  const needs = "automations:send" as const;
  const buttons = (
    <>
      {may("pause") && (
        <Button icon={Pause} needs={needs} busy={busy} onClick={() => void run(() => go("pause"))}>
          {t("lifecycle.pause.action")}
        </Button>
      )}
      {may("publish") && automation.status !== "draft" && isChanged && (
        <Button kind="primary" icon={Rocket} needs={needs} onClick={() => setAsked("publish")}>
          {t("lifecycle.publish.action")}
        </Button>
      )}
      {may("resume") && (
        <Button kind="go" icon={Play} needs={needs} busy={busy} onClick={() => void run(() => resume({}))}>
          {t("lifecycle.resume.action")}
        </Button>
      )}
      {may("start") && (
        <Button kind="go" icon={Play} needs={needs} onClick={() => setAsked("start")}>
          {t("lifecycle.start.action")}
        </Button>
      )}
    </>
  );
  const menu: readonly MenuItem[] = [
    ...(may("drain")
      ? [{ label: t("lifecycle.drain.action"), icon: LogOut, needs, run: () => setAsked("drain") }]
      : []),
    ...(may("archive")
      ? [
          {
            label: t("lifecycle.archive.action"),
            icon: Archive,
            needs,
            run: () => void run(() => go("archive")),
          },
        ]
      : []),
    ...(may("cancel")
      ? [
          {
            label: t("lifecycle.cancel.action"),
            icon: Ban,
            danger: true,
            needs,
            run: () => setAsked("cancel"),
          },
        ]
      : []),
  ];
  const name = draft.name;
  const dialogs = (
    <>
      {asked === "start" && <StartDialog drafting={drafting} start={() => go("start")} onClose={close} />}
      {asked === "publish" && <Publish drafting={drafting} onClose={close} />}
      {(asked === "drain" || asked === "cancel") && (
        <ConfirmDialog
          title={t(`lifecycle.${asked}.title`, { name })}
          lead={t(`lifecycle.${asked}.lead`)}
          action={t(`lifecycle.${asked}.confirm`)}
          confirm={() => go(asked)}
          onClose={close}
        />
      )}
      {overdue && <Resume overdue={overdue} resume={resume} onClose={() => setOverdue(undefined)} />}
    </>
  );
  const lines = isSandbox && automation.status !== "archived" && (
    <div className="automation-note">
      <SandboxNote of="runs">
        {may("publish") && isChanged === false && (
          <Button size="sm" needs={needs} onClick={() => setAsked("publish")}>
            {t("lifecycle.sandbox.again")}
          </Button>
        )}
      </SandboxNote>
    </div>
  );
  return { buttons, menu, dialogs, lines };
}
