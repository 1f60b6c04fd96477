/** What is done with the whole automation. */
import { useNavigate } from "@tanstack/react-router";
import { Copy, Pencil, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { DeleteAutomation } from "../list/delete-automation.tsx";
import { useDuplicate } from "../list/use-duplicate.ts";
import type { AutomationDrafting } from "./use-automation.ts";

type Props = {
  drafting: AutomationDrafting;
  /** What its state allows. */
  items: readonly MenuItem[];
  /** Asks to whom its mails are to be sent as a test; undefined where it has none. */
  test: (() => void) | undefined;
};

export function HeadMenu({ drafting, items, test }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const duplicate = useDuplicate();
  const { automation, draft, change, save, faults } = drafting;
  const [asked, setAsked] = useState<"rename" | "delete">();
  const can = (action: "update" | "delete") => automation.allowed_actions.includes(action);
  const close = () => setAsked(undefined);
  return (
    <>
      <RowMenu
        needs="automations:write"
        name={draft.name}
        items={[
          ...(can("update")
            ? [{ label: t("automations.one.rename"), icon: Pencil, run: () => setAsked("rename") }]
            : []),
          ...(test ? [{ label: t("simulate.test.action"), icon: Send, run: test }] : []),
          {
            label: t("automations.duplicate"),
            icon: Copy,
            run: () => void save().then(() => duplicate(automation)),
          },
          ...items,
          ...(can("delete")
            ? [{ label: t("do.delete"), icon: Trash2, danger: true, run: () => setAsked("delete") }]
            : []),
        ]}
      />
      {asked === "rename" && (
        <FormDialog
          title={t("automations.one.rename")}
          action={t("do.save")}
          onClose={close}
          submit={async (values) => {
            change({ name: values.text("name") });
            if (await save()) close();
          }}
        >
          <TextField
            name="name"
            label={t("automations.name")}
            hint={t("automations.make.nameHint")}
            defaultValue={draft.name}
            fault={faults["name"]}
            maxLength={200}
            autoComplete="off"
          />
        </FormDialog>
      )}
      {asked === "delete" && (
        <DeleteAutomation
          automation={{ ...automation, name: draft.name }}
          onClose={close}
          onDeleted={() => navigate({ to: "/automations", ignoreBlocker: true })}
        />
      )}
    </>
  );
}
