import { useQuery } from "@tanstack/react-query";
import { Fingerprint, Pencil, Smartphone, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Factor, NewFactor } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { addPasskey, canUsePasskeys, hasHostName } from "../../../shell/identity/passkeys.ts";
import { nameBrowser } from "../browser-name.ts";
import { AddApp } from "./add-app.tsx";
import { CodesShown, RecoveryCodesLeft } from "./recovery-codes.tsx";
import { useRefreshFactors } from "./use-refresh-factors.ts";

type Open =
  | { readonly what: "app"; readonly made: NewFactor }
  | { readonly what: "codes"; readonly codes: readonly string[] }
  | { readonly what: "rename" | "remove"; readonly factor: Factor }
  | null;

export function OwnFactors() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const refresh = useRefreshFactors();
  const factors = useQuery(query("GET /v1/factors", {}));
  const begin = useAct(async () => {
    const made = await call("POST /v1/factors", { body: { type: "totp", name: t("factors.kinds.totp") } });
    setOpen({ what: "app", made });
  });
  const beginPasskey = useAct(async () => {
    const passkey = await addPasskey(await call("POST /v1/factors/passkey_options", {}));
    const name = nameBrowser(navigator.userAgent) ?? t("factors.kinds.passkey");
    const body = { name, passkey };
    await added((await call("POST /v1/factors/passkeys", { body })).recovery_codes);
  });
  const close = () => setOpen(null);
  const added = async (codes: readonly string[] | null) => {
    await refresh();
    notify(t("factors.added"));
    setOpen(codes ? { what: "codes", codes } : null);
  };
  if (factors.error && !factors.data) {
    const retry = () => void factors.refetch();
    return <Failure title={t("factors.unreadable")} error={factors.error} retry={retry} />;
  }
  if (!factors.data) return <SkeletonLines />;
  const { data } = factors.data;
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("factors.title")}</h2>
          <p className="sm dim">{t("factors.lead")}</p>
        </div>
        <div className="row wrap">
          {canUsePasskeys() && (
            <Button icon={Fingerprint} busy={beginPasskey.isBusy} onClick={beginPasskey.run}>
              {t("factors.addPasskey")}
            </Button>
          )}
          <Button icon={Smartphone} busy={begin.isBusy} onClick={begin.run}>
            {t("factors.addApp")}
          </Button>
        </div>
      </div>
      {!hasHostName() && <p className="sm mid">{t("factors.needsHost")}</p>}
      {data.length === 0 ? (
        <p className="mid">{t("factors.none")}</p>
      ) : (
        <>
          <FactorTable factors={data} onOpen={setOpen} />
          <RecoveryCodesLeft onMade={(codes) => setOpen({ what: "codes", codes })} />
        </>
      )}
      {open?.what === "app" && <AddApp made={open.made} onClose={close} onAdded={added} />}
      {open?.what === "codes" && <CodesShown codes={open.codes} onClose={close} />}
      {open?.what === "rename" && <RenameFactor factor={open.factor} onClose={close} />}
      {open?.what === "remove" && (
        <RemoveFactor factor={open.factor} isLast={data.length === 1} onClose={close} />
      )}
    </section>
  );
}

function FactorTable({ factors, onOpen }: { factors: readonly Factor[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("factors.name")}</th>
            <th>{t("factors.kind")}</th>
            <th>{t("factors.lastUsed")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {factors.map((factor) => (
            <tr key={factor.id}>
              <td className="c-main med break" dir="auto">
                {factor.name}
              </td>
              <td className="mid" data-label={t("factors.kind")}>
                {t(`factors.kinds.${factor.type}`)}
              </td>
              <td className="dim" data-label={t("factors.lastUsed")}>
                <Time at={factor.last_used_at ?? factor.created_at} />
              </td>
              <td className="r c-menu">
                <RowMenu
                  name={factor.name}
                  items={[
                    { label: t("do.rename"), icon: Pencil, run: () => onOpen({ what: "rename", factor }) },
                    {
                      label: t("factors.remove"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "remove", factor }),
                    },
                  ]}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RenameFactor({ factor, onClose }: { factor: Factor; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefreshFactors();
  return (
    <FormDialog
      title={t("do.rename")}
      action={t("do.save")}
      onClose={onClose}
      submit={async (values) => {
        const body = { name: values.text("name") };
        await call("PATCH /v1/factors/{id}", { path: { id: factor.id }, body });
        await refresh();
        notify(t("factors.renamed"));
        onClose();
      }}
    >
      <TextField name="name" label={t("factors.name")} maxLength={100} defaultValue={factor.name} autoFocus />
    </FormDialog>
  );
}

function RemoveFactor({ factor, isLast, onClose }: { factor: Factor; isLast: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefreshFactors();
  return (
    <ConfirmDialog
      title={t("factors.removeTitle", { name: factor.name })}
      lead={isLast ? t("factors.removeLast") : t("factors.removeLead")}
      action={t("factors.remove")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/factors/{id}", { path: { id: factor.id } });
        await refresh();
        notify(t("factors.removed"));
      }}
    />
  );
}
