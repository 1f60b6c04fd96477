/** One sending server: adding it, or editing and testing it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../api/client.ts";
import { queryWithEtag } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { EditForm } from "../../../kit/forms/edit-form.tsx";
import { Form } from "../../../kit/forms/form.tsx";
import { LeaveGuard } from "../../../kit/forms/leave-guard.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { Closings } from "./closings.tsx";
import { DeleteServer } from "./delete-server.tsx";
import { useRefreshServers } from "./known-servers.ts";
import { PutOut } from "./put-out.tsx";
import { bodyOf, ServerFields } from "./server-fields.tsx";
import { ServerTest } from "./server-test.tsx";
import { WarmUp } from "./warm-up.tsx";

const route = getRouteApi("/signed-in/settings/transports/$id");

function BackLink() {
  const { t } = useTranslation();
  return (
    <Link to="/settings/transports" className="link sm">
      {t("servers.back")}
    </Link>
  );
}

export function NewServer() {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  const navigate = useNavigate();
  const isTyped = useRef(false);
  return (
    <section className="stack-4">
      <div className="stack tight">
        <BackLink />
        <h2>{t("servers.add")}</h2>
      </div>
      <LeaveGuard isNeeded={() => isTyped.current} />
      <Form
        onChange={() => {
          isTyped.current = true;
        }}
        submit={async (values) => {
          const { id, name } = await call("POST /v1/transports", { body: bodyOf(values) });
          isTyped.current = false;
          void refresh();
          await navigate({ to: "/settings/transports/$id", params: { id } });
          notify(t("servers.added", { name }));
        }}
      >
        {({ busy, note }) => (
          <>
            <ServerFields />
            {note}
            <div className="row">
              <Button kind="primary" type="submit" busy={busy}>
                {t("servers.add")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  );
}

export function ServerPage() {
  const { id } = route.useParams();
  // Another server is another form.
  return <EditServer key={id} id={id} />;
}

function EditServer({ id }: { id: string }) {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  const navigate = useNavigate();
  const path = { id };
  const [isDeleting, setDeleting] = useState(false);
  const found = useQuery({ ...queryWithEtag("GET /v1/transports/{id}", { path }), gcTime: 0 });
  if (!found.data) {
    return found.error ? (
      <Failure title={t("servers.unreadable")} error={found.error} retry={() => void found.refetch()} />
    ) : (
      <SkeletonLines />
    );
  }
  const server = found.data.body;
  const labels: Readonly<Record<string, string>> = {
    name: t("servers.name"),
    host: t("servers.host"),
    port: t("servers.port"),
    tls: t("servers.tls"),
    verify_certificate: t("servers.verify"),
    username: t("servers.username"),
    ehlo_name: t("servers.ehlo"),
    max_connections: t("servers.connections"),
    rate_per_second: t("servers.rate"),
    max_per_day: t("servers.perDay"),
    streams: t("servers.leaves"),
  };
  return (
    <>
      <section className="stack-4">
        <div className="stack tight">
          <BackLink />
          <h2 className="break" dir="auto">
            {server.name}
          </h2>
        </div>
        <PutOut server={server} />
        <EditForm
          found={found.data}
          patchOf={(values) => bodyOf(values, server)}
          save={(body, ifMatch) => request("PATCH /v1/transports/{id}", { path, body, ifMatch })}
          read={() => request("GET /v1/transports/{id}", { path })}
          labelOf={(name) => labels[name] ?? name}
          secret="password"
          onSaved={({ body }) => {
            void refresh();
            notify(t("servers.saved", { name: body.name }));
          }}
        >
          {(now) => <ServerFields server={now} />}
        </EditForm>
      </section>
      <Closings servers={[server]} isOne />
      <ServerTest server={server} />
      <WarmUp server={server} />
      <div>
        <Button kind="quiet" icon={Trash2} onClick={() => setDeleting(true)}>
          {t("servers.deleteAction")}
        </Button>
      </div>
      {isDeleting && (
        <DeleteServer
          server={server}
          onClose={() => setDeleting(false)}
          // What was typed for a server that is gone can't be saved any more.
          onDeleted={() => void navigate({ to: "/settings/transports", ignoreBlocker: true })}
        />
      )}
    </>
  );
}
