import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pencil, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApiKey, NewApiKey } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { NewKey, RenameKey, RevokeKey, RotateKey } from "./key-forms.tsx";
import { ShownOnce } from "./shown-once.tsx";

const route = getRouteApi("/signed-in/api-keys");

type Open =
  | { readonly what: "new" }
  | { readonly what: "made"; readonly made: NewApiKey }
  | { readonly what: "rename" | "rotate" | "revoke"; readonly apiKey: ApiKey }
  | null;

export function ApiKeys() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const keys = useQuery(pageQuery("GET /v1/api_keys", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = {
    label: t("apiKeys.new"),
    icon: Plus,
    needs: "api_keys:write" as const,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-key", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("nav.apiKeys")}
        lead={t("apiKeys.lead")}
        create={create}
        result={keys}
        cursor={cursor}
        unreadable={t("apiKeys.unreadable")}
        none={t("apiKeys.none")}
        noneText={t("apiKeys.noneText")}
      >
        {(rows) => <KeyTable keys={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.what === "new" && <NewKey onClose={close} onMade={(made) => setOpen({ what: "made", made })} />}
      {open?.what === "made" && <ShownOnce made={open.made} onClose={close} />}
      {open?.what === "rotate" && (
        <RotateKey apiKey={open.apiKey} onClose={close} onMade={(made) => setOpen({ what: "made", made })} />
      )}
      {open?.what === "rename" && <RenameKey id={open.apiKey.id} onClose={close} />}
      {open?.what === "revoke" && <RevokeKey apiKey={open.apiKey} onClose={close} />}
    </>
  );
}

function KeyTable({ keys, onOpen }: { keys: readonly ApiKey[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("apiKeys.name")}</th>
            <th>{t("apiKeys.key")}</th>
            <th>{t("apiKeys.scopes")}</th>
            <th>{t("apiKeys.lastUsed")}</th>
            <th>{t("apiKeys.ends")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((apiKey) => (
            <tr key={apiKey.id}>
              <td className="c-main med" dir="auto">
                <span className="cell-text">{apiKey.name}</span>
                {apiKey.allowed_networks.length > 0 && (
                  <span className="sm dim break">{apiKey.allowed_networks.join(", ")}</span>
                )}
              </td>
              <td className="mono dim" data-label={t("apiKeys.key")}>
                {t("apiKeys.hint", { hint: apiKey.hint })}
              </td>
              <td data-label={t("apiKeys.scopes")}>
                <Scopes scopes={apiKey.scopes} />
              </td>
              <td className="mid" data-label={t("apiKeys.lastUsed")}>
                {apiKey.last_used_at ? <Time at={apiKey.last_used_at} /> : t("apiKeys.neverUsed")}
              </td>
              <td className="dim" data-label={t("apiKeys.ends")}>
                {apiKey.expires_at ? <Time at={apiKey.expires_at} day /> : t("apiKeys.never")}
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="api_keys:write"
                  name={apiKey.name}
                  items={[
                    { label: t("do.rename"), icon: Pencil, run: () => onOpen({ what: "rename", apiKey }) },
                    {
                      label: t("apiKeys.rotate"),
                      icon: RefreshCw,
                      run: () => onOpen({ what: "rotate", apiKey }),
                    },
                    {
                      label: t("apiKeys.revoke"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "revoke", apiKey }),
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

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation();
  if (scopes.includes("full")) return <span className="badge warn">{t("apiKeys.everything")}</span>;
  return (
    <div className="row wrap tags">
      {scopes.map((scope) => (
        <span key={scope} className="badge">
          {scope}
        </span>
      ))}
    </div>
  );
}
