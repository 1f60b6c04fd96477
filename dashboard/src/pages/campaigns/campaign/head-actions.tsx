/** The buttons beside a campaign's title, from what its state allows; the palette and the keys have them too. */

import { useQuery } from "@tanstack/react-query";
import { useMatch, useNavigate } from "@tanstack/react-router";
import {
  CalendarClock,
  Copy,
  type LucideIcon,
  Pause,
  PencilLine,
  Play,
  RotateCcw,
  Send,
  Undo2,
  X,
} from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Scope, useMay } from "../../../api/may.ts";
import type { Campaign } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button, type ButtonLook } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { ExportRecipients } from "../recipients/export-button.tsx";
import { ReviewAndSend } from "../sending/review.tsx";
import { ChangeTime } from "./change-time.tsx";
import { statsQuery } from "./use-campaign.ts";
import type { PageActions } from "./use-page-actions.ts";

const ResendDialog = lazyPart(() =>
  import("../recipients/resend.tsx").then(({ ResendDialog: component }) => ({ default: component })),
);

type Offer = {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly kind?: ButtonLook["kind"];
  readonly isDanger?: boolean;
  readonly keys?: string;
  readonly run: () => void;
};

type Action = Campaign["allowed_actions"][number];

const scopeOf = (action: Action): Scope =>
  action === "update" || action === "delete" ? "campaigns:write" : "campaigns:send";

type HeadActionsProps = { campaign: Campaign; actions: PageActions };

export function HeadActions({ campaign, actions }: HeadActionsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState<"cancel" | "time" | "send" | "resend">();
  const { id, status, paused_from: from, allowed_actions: allowed } = campaign;
  const isOver = status === "sent" || status === "canceled";
  // The list of recipients has these beside what it shows.
  const isOverview = useMatch({ from: "/signed-in/campaigns/$id/", shouldThrow: false }) !== undefined;
  const isBeforeStart = status === "scheduled" || from === "scheduled";
  const holds = useMay();
  const may = (action: Action) => allowed.includes(action) && holds(scopeOf(action));
  const offers: readonly (Offer | false)[] = [
    may("cancel") &&
      !isBeforeStart && {
        id: "campaign.cancel",
        label: t(status === "failed" ? "sending.do.giveUp" : "sending.do.cancel"),
        icon: X,
        kind: "quiet",
        isDanger: true,
        run: () => setOpen("cancel"),
      },
    may("unschedule") && {
      id: "campaign.unschedule",
      label: t("sending.do.backToDraft"),
      icon: Undo2,
      run: () => void actions.backToDraft(),
    },
    isBeforeStart &&
      may("schedule") && {
        id: "campaign.time",
        label: t("sending.do.changeTime"),
        icon: CalendarClock,
        run: () => setOpen("time"),
      },
    status === "failed" &&
      may("update") && {
        id: "campaign.edit",
        label: t("sending.do.edit"),
        icon: PencilLine,
        keys: "e",
        run: () => void navigate({ to: "/campaigns/$id/edit", params: { id } }),
      },
    isOver &&
      isOverview &&
      holds("campaigns:write") &&
      campaign.progress.done > 0 && {
        id: "campaign.resend",
        label: t("recipients.resend.open"),
        icon: Send,
        run: () => setOpen("resend"),
      },
    isOver &&
      holds("campaigns:write") && {
        id: "campaign.duplicate",
        label: t("sending.do.duplicate"),
        icon: Copy,
        run: () => void actions.duplicate(),
      },
    may("pause") && {
      id: "campaign.pause",
      label: t("sending.do.pause"),
      icon: Pause,
      kind: "primary",
      keys: "p",
      run: () => void actions.pause(),
    },
    may("resume") && {
      id: "campaign.resume",
      label: t("sending.do.resume"),
      icon: Play,
      kind: "go",
      keys: "p",
      run: () => void actions.resume(),
    },
    status === "failed" &&
      may("send") && {
        id: "campaign.again",
        label: t("sending.do.again"),
        icon: RotateCcw,
        kind: "primary",
        run: () => setOpen("send"),
      },
  ];
  const shown = offers.filter((offer) => offer !== false);
  useRegisterActions(shown);
  const close = () => setOpen(undefined);
  const { buttons, press } = useKeptFocus(actions.busy);
  return (
    <>
      {isOver && isOverview && <ExportRecipients campaignId={id} />}
      {shown.map(({ id: key, label, icon, kind, isDanger, keys, run }) => (
        <span key={slotOf(key)} className={isDanger ? "danger-action" : undefined}>
          <Button
            ref={(button) => void (button ? buttons.set(slotOf(key), button) : buttons.delete(slotOf(key)))}
            icon={icon}
            busy={actions.busy}
            onClick={() => {
              press(slotOf(key));
              run();
            }}
            {...(kind && { kind })}
            {...(keys && { shortcut: keys.toUpperCase() })}
          >
            {label}
          </Button>
        </span>
      ))}
      {open === "cancel" && <CancelDialog id={id} cancel={actions.cancel} onClose={close} />}
      {open === "time" && <ChangeTime campaign={campaign} onClose={close} />}
      {open === "send" && <ReviewAndSend campaign={campaign} save={async () => true} onClose={close} />}
      <Suspense>{open === "resend" && <ResendDialog campaign={campaign} onClose={close} />}</Suspense>
    </>
  );
}

/** The one takes the place of the other, and keeps the focus of who pressed it. */
const slotOf = (id: string) => (id === "campaign.resume" ? "campaign.pause" : id);

/** A button can't be pressed while its action runs, and the browser takes the focus from such; afterwards it is given back. */
function useKeptFocus(isBusy: boolean) {
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const pressed = useRef<string>(undefined);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy && document.activeElement === document.body)
      buttons.current.get(pressed.current ?? "")?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  const press = (slot: string) => {
    pressed.current = slot;
  };
  return { buttons: buttons.current, press };
}

const COUNT_EVERY_MS = 1_000;

function CancelDialog({
  id,
  cancel,
  onClose,
}: {
  id: string;
  cancel: () => Promise<void>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  // The number that is agreed to must be of now: mail that was on the wire may still end.
  const { data: stats } = useQuery({ ...statsQuery(id), staleTime: 0, refetchInterval: COUNT_EVERY_MS });
  const left = stats?.queued ?? 0;
  const people = { count: left, number: formatNumber(left) };
  return (
    <ConfirmDialog
      title={left > 0 ? t("sending.cancel.title", people) : t("sending.cancel.titleNobody")}
      lead={t("sending.cancel.lead", people)}
      action={left > 0 ? t("sending.cancel.action", people) : t("sending.cancel.actionNobody")}
      people={left}
      confirm={cancel}
      onClose={onClose}
    />
  );
}
