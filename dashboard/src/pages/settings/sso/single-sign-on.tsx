/** How single sign-on is set up, which is the operator's to change, and who is linked, which is an owner's. */
import "../../../i18n/later/settings/single-sign-on.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Unlink } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { SingleSignOn, SsoUser } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyIcon } from "../../../kit/copy-button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";

const route = getRouteApi("/signed-in/settings/single-sign-on");

export function SsoSettings() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(query("GET /v1/single_sign_on", {}));
  return (
    <>
      <section className="stack-4">
        <div>
          <h2>{t("ssoSettings.title")}</h2>
          <p className="sm dim">{t("ssoSettings.lead")}</p>
        </div>
        {data ? (
          <HowSetUp setUp={data} />
        ) : error ? (
          <Failure title={t("ssoSettings.unreadable")} error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonLines lines={6} />
        )}
      </section>
      {data?.is_configured && (
        <>
          <hr className="rule" />
          <Groups setUp={data} />
          <hr className="rule" />
          <Linked />
        </>
      )}
    </>
  );
}

function HowSetUp({ setUp }: { setUp: SingleSignOn }) {
  const { t } = useTranslation();
  const redirect = (
    <span className="row">
      <code className="mono break">{setUp.redirect_url}</code>
      <CopyIcon text={setUp.redirect_url} label={t("ssoSettings.copyRedirect")} />
    </span>
  );
  if (!setUp.is_configured)
    return (
      <div className="stack-2">
        <p>{t("ssoSettings.off")}</p>
        <p className="sm mid">{t("ssoSettings.offHow")}</p>
        {redirect}
      </div>
    );
  return (
    <dl className="kv">
      <dt>{t("ssoSettings.provider")}</dt>
      <dd dir="auto">{setUp.name}</dd>
      <dt>{t("ssoSettings.issuer")}</dt>
      <dd>
        <code className="mono break">{setUp.issuer}</code>
      </dd>
      <dt>{t("ssoSettings.redirect")}</dt>
      <dd>{redirect}</dd>
      <dt>{t("ssoSettings.passwords")}</dt>
      <dd>{setUp.password_sign_in ? t("ssoSettings.passwordsOn") : t("ssoSettings.passwordsOff")}</dd>
    </dl>
  );
}

function Groups({ setUp }: { setUp: SingleSignOn }) {
  const { t } = useTranslation();
  return (
    <section className="stack-4">
      <div>
        <h2>{t("ssoSettings.groups")}</h2>
        <p className="sm dim">{t("ssoSettings.groupsLead", { claim: setUp.groups_claim })}</p>
      </div>
      {setUp.groups.length === 0 ? (
        <p className="sm mid">{t("ssoSettings.noGroups")}</p>
      ) : (
        <div className="tw">
          <table className="stacked inset">
            <thead>
              <tr>
                <th>{t("ssoSettings.group")}</th>
                <th>{t("ssoSettings.role")}</th>
              </tr>
            </thead>
            <tbody>
              {setUp.groups.map(({ group, role }) => (
                <tr key={`${group} ${role}`}>
                  <td className="c-main">
                    <code className="mono break">{group}</code>
                  </td>
                  <td data-label={t("ssoSettings.role")}>{t(`team.roles.${role}`)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Linked() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [unlinking, setUnlinking] = useState<SsoUser>();
  const users = useQuery(pageQuery("GET /v1/single_sign_on/users", { query: cursor ? { cursor } : {} }));
  return (
    <section className="stack-4">
      <div>
        <h2>{t("ssoSettings.linked")}</h2>
        <p className="sm dim">{t("ssoSettings.linkedLead")}</p>
      </div>
      <Listing
        result={users}
        unreadable={t("ssoSettings.unreadable")}
        empty={<p className="sm mid">{t("ssoSettings.nobody")}</p>}
      >
        {(rows, page) => (
          <>
            <LinkedTable users={rows} onUnlink={setUnlinking} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {unlinking && <UnlinkUser user={unlinking} onClose={() => setUnlinking(undefined)} />}
    </section>
  );
}

function LinkedTable({ users, onUnlink }: { users: readonly SsoUser[]; onUnlink: (user: SsoUser) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("ssoSettings.person")}</th>
            <th>{t("ssoSettings.role")}</th>
            <th>{t("ssoSettings.lastSeen")}</th>
            <th>
              <span className="sr">{t("ssoSettings.unlink")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="row wrap">
                    <span className="med break">{user.email}</span>
                    {user.by_groups && <span className="badge">{t("ssoSettings.byGroups")}</span>}
                  </span>
                  {user.provider_email && user.provider_email !== user.email && (
                    <span className="sm dim break">
                      {t("ssoSettings.elsewhere", { email: user.provider_email })}
                    </span>
                  )}
                </div>
              </td>
              <td className="mid" data-label={t("ssoSettings.role")}>
                {t(`team.roles.${user.role}`)}
              </td>
              <td className="dim" data-label={t("ssoSettings.lastSeen")}>
                <Time at={user.last_signed_in_at} />
              </td>
              <td className="r c-menu">
                <Button size="sm" icon={Unlink} onClick={() => onUnlink(user)}>
                  {t("ssoSettings.unlink")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UnlinkUser({ user, onClose }: { user: SsoUser; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("ssoSettings.unlinkTitle", { email: user.email })}
      lead={t("ssoSettings.unlinkLead")}
      action={t("ssoSettings.unlink")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/single_sign_on/users/{id}", { path: { id: user.id } });
        await queries.invalidateQueries({ queryKey: ["single_sign_on"] });
        notify(t("ssoSettings.unlinked"));
      }}
    />
  );
}
