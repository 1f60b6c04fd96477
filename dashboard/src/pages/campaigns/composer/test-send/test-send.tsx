/** Sends the mail as it is now to a few addresses, and says where it went. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../../../api/problem.ts";
import { query, sessionQuery } from "../../../../api/queries.ts";
import { formatList } from "../../../../i18n/format.ts";
import { Button } from "../../../../kit/button.tsx";
import { TextArea } from "../../../../kit/forms/field.tsx";
import type { Values } from "../../../../kit/forms/form.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { Dialog, FormDialog } from "../../../../kit/overlays/dialog.tsx";
import { AsWhom } from "../preview/as-whom.tsx";

/** What the API takes at once. */
const MOST = 5;

type Props = {
  title: string;
  /** What is said where mail leaves; in the sandbox it says where that goes. */
  lead: string;
  listId: string;
  as: string | undefined;
  save: () => Promise<boolean>;
  /** Returns to whom it went. */
  send: (to: readonly string[], subscriberId: string | null) => Promise<readonly string[]>;
  onClose: () => void;
  children?: ReactNode;
};

export function TestSend({ title, lead, listId, as, save, send, onClose, children }: Props) {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const { data: sending } = useQuery(query("GET /v1/sending", {}));
  const [subscriber, setSubscriber] = useState(as ?? null);
  const [sent, setSent] = useState<readonly string[]>();
  const isSandbox = sending?.leaves_by === "sandbox";
  if (sent) return <Sent to={sent} isSandbox={isSandbox} onClose={onClose} />;

  const submit = async (values: Values) => {
    const to = [
      ...new Set(
        values
          .text("to")
          .split(/[\s,;]+/)
          .filter(Boolean),
      ),
    ];
    // What is seen is what is sent, so it is saved first.
    if (!(await save())) throw new ApiError({ code: "unsaved", detail: t("composer.testSend.unsaved") });
    setSent(await send(to, subscriber));
  };
  return (
    <FormDialog
      title={title}
      lead={isSandbox ? t("composer.testSend.leadSandbox") : lead}
      action={t("composer.testSend.action")}
      onClose={onClose}
      submit={submit}
    >
      {children}
      <TextArea
        name="to"
        label={t("composer.testSend.to")}
        hint={t("composer.testSend.toHint", { count: MOST })}
        defaultValue={session?.user.email ?? ""}
        rows={2}
        autoCapitalize="off"
        spellCheck={false}
      />
      <div className="row">
        <AsWhom listId={listId} subscriberId={subscriber} onSubscriber={setSubscriber} />
      </div>
    </FormDialog>
  );
}

function Sent({
  to,
  isSandbox,
  onClose,
}: {
  to: readonly string[];
  isSandbox: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [first = ""] = to;
  return (
    <Dialog
      title={t("composer.testSend.sentTitle")}
      onClose={onClose}
      footer={
        <>
          <Button kind={isSandbox ? "quiet" : "primary"} onClick={onClose}>
            {t("do.close")}
          </Button>
          {isSandbox && (
            <Link className="btn btn-primary" to="/inbox" search={to.length === 1 ? { to: first } : {}}>
              {t("composer.testSend.inbox")}
            </Link>
          )}
        </>
      }
    >
      <div className="note accent" role="status">
        <Icon of={CircleCheck} />
        <span className="break">
          {isSandbox
            ? t("composer.testSend.sentSandbox", { to: formatList(to) })
            : t("composer.testSend.sent", { to: formatList(to) })}
        </span>
      </div>
    </Dialog>
  );
}
