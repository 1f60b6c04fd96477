/** The state of an automation, and what can be done about it. */
import { useQuery } from "@tanstack/react-query";
import { Archive, Ban, LogOut, Pause, Play, Rocket } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useHasFeature } from "../../../api/plan-features.ts";
import { asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { isSameValue } from "../../../drafts/draft-fields.ts";
import { formatNumber, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { useEditing } from "../editor/editing.ts";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { Publish } from "./publish.tsx";
import { type Overdue, overdueOf, Resume } from "./resume.tsx";
import { StartDialog } from "./start.tsx";
import { Status } from "./status.tsx";
import { useLifecycle } from "./use-lifecycle.ts";

/** Whether the draft says something else than the version that runs; undefined until that is known. */
function useIsChanged({ automation, draft }: AutomationDrafting): boolean | undefined {
  const { id, live_version: version } = automation;
  const { data } = useQuery({
    ...query("GET /v1/automations/{id}/versions/{number}", { path: { id, number: String(version ?? 0) } }),
    enabled: version !== null,
  });
  return data && !isSameValue(data.graph, draft.draft);
}

export function StateLine({ drafting }: { drafting: AutomationDrafting }) {
  const { t } = useTranslation();
  const { status, live_version: version, paused_at: pausedAt } = drafting.automation;
  const isChanged = useIsChanged(drafting);
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
  const isChanged = useIsChanged(drafting);
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
  return { buttons, menu, dialogs };
}
