/** What can be done to an endpoint, in the list of them and on its own page. */
import { FlaskConical, KeyRound, Pencil, Power, PowerOff, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Webhook, WebhookWithSecret } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import type { MenuItem } from "../../kit/overlays/menu.tsx";
import { notify, notifyFailure } from "../../kit/toasts.tsx";
import { EditEndpoint, NewEndpoint, useRefresh } from "./endpoint-form.tsx";
import { ReplayEvents, SendTest } from "./posting-dialogs.tsx";
import { RotateSecret, SecretShownOnce } from "./secret-dialogs.tsx";

export type Open =
  | { readonly what: "new" }
  | { readonly what: "secret"; readonly made: WebhookWithSecret }
  | { readonly what: "edit" | "rotate" | "delete" | "test" | "replay"; readonly webhook: Webhook }
  | null;

type DialogsProps = {
  open: Open;
  setOpen: (open: Open) => void;
  /** The secret of this one was seen. */
  onMade?: (made: WebhookWithSecret) => void;
  onOpenDelivery: (webhook: Webhook, deliveryId: string) => void;
  onDeleted?: () => void;
};

export function EndpointDialogs({ open, setOpen, onMade, onOpenDelivery, onDeleted }: DialogsProps) {
  const close = () => setOpen(null);
  const show = (made: WebhookWithSecret) => setOpen({ what: "secret", made });
  switch (open?.what) {
    case "new":
      return <NewEndpoint onMade={show} onClose={close} />;
    case "secret":
      return (
        <SecretShownOnce
          made={open.made}
          onClose={() => {
            close();
            onMade?.(open.made);
          }}
        />
      );
    case "edit":
      return <EditEndpoint id={open.webhook.id} onClose={close} />;
    case "rotate":
      return <RotateSecret webhook={open.webhook} onMade={show} onClose={close} />;
    case "delete":
      return <DeleteEndpoint webhook={open.webhook} onClose={close} onDeleted={onDeleted} />;
    case "replay":
      return <ReplayEvents webhook={open.webhook} onClose={close} />;
    case "test":
      return (
        <SendTest
          webhook={open.webhook}
          onOpenDelivery={(id) => {
            close();
            onOpenDelivery(open.webhook, id);
          }}
          onClose={close}
        />
      );
    default:
      return null;
  }
}

type DeleteProps = { webhook: Webhook; onClose: () => void; onDeleted: (() => void) | undefined };

function DeleteEndpoint({ webhook: { id, url }, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("webhooks.delete.title")}
      lead={t("webhooks.delete.lead", { url })}
      action={t("webhooks.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/webhooks/{id}", { path: { id } });
        onDeleted?.();
        notify(t("webhooks.delete.done"));
        await refresh();
      }}
    />
  );
}

/** Switches an endpoint on and off. */
export function useSwitch() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>, done: () => void) => {
    setBusy(true);
    try {
      await work();
      done();
      await refresh();
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  const switchOn = ({ id }: Webhook): Promise<void> =>
    run(
      () => call("POST /v1/webhooks/{id}/enable", { path: { id } }),
      () => notify(t("webhooks.switchedOn")),
    );
  const switchOff = (webhook: Webhook): Promise<void> =>
    run(
      () => call("PATCH /v1/webhooks/{id}", { path: { id: webhook.id }, body: { status: "disabled" } }),
      () => notify(t("webhooks.switchedOff"), { label: t("do.undo"), run: () => void switchOn(webhook) }),
    );
  return { isBusy, switchOn, switchOff };
}

/** The menu of one endpoint; on its own page the first two of them are buttons. */
export function useEndpointMenu(setOpen: (open: Open) => void) {
  const { t } = useTranslation();
  const { switchOn, switchOff } = useSwitch();
  return (webhook: Webhook, isOnItsPage = false): readonly MenuItem[] => {
    const item = (what: "edit" | "rotate" | "delete" | "test" | "replay") => () => setOpen({ what, webhook });
    const isOn = webhook.status === "enabled";
    const buttons: readonly MenuItem[] = [
      { label: t("webhooks.test.open"), icon: FlaskConical, run: item("test") },
      { label: t("do.edit"), icon: Pencil, run: item("edit") },
    ];
    return [
      ...(isOnItsPage ? [] : buttons),
      ...(isOn ? [{ label: t("webhooks.replay.open"), icon: RotateCw, run: item("replay") }] : []),
      { label: t("webhooks.secret.rotate"), icon: KeyRound, run: item("rotate") },
      isOn
        ? { label: t("webhooks.switchOff"), icon: PowerOff, run: () => void switchOff(webhook) }
        : { label: t("webhooks.switchOn"), icon: Power, run: () => void switchOn(webhook) },
      { label: t("do.delete"), icon: Trash2, danger: true, run: item("delete") },
    ];
  };
}
