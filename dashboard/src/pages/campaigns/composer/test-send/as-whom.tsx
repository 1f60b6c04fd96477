import { useQuery } from "@tanstack/react-query";
import { User } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Subscriber } from "../../../../api/openapi.ts";
import { pageQuery, query } from "../../../../api/queries.ts";
import { type Choice, Chooser, Found } from "../audience/chooser.tsx";

type Props = {
  listId: string;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
};

const nameOf = ({ first_name, last_name, email }: Subscriber) =>
  [first_name, last_name].filter(Boolean).join(" ") || email;

const MOST = 20;

/** Whose values stand in the mail: somebody on the list, or nobody in particular. */
export function AsWhom({ listId, chosen, onChoose }: Props) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/subscribers/{id}", { path: { id: chosen ?? "" } }),
    enabled: chosen !== undefined,
  });
  return (
    <div className="field">
      <span className="flabel">{t("composer.testSend.as")}</span>
      <Chooser
        label={t("composer.testSend.as")}
        icon={User}
        chosen={chosen === undefined ? null : ((data && nameOf(data)) ?? "")}
        placeholder={t("composer.testSend.nobody")}
        searchLabel={t("composer.testSend.search")}
        found={(text, choose) => <People text={text} listId={listId} choose={choose} />}
        onChoose={({ id }) => onChoose(id)}
        clear={
          chosen === undefined
            ? undefined
            : { label: t("composer.testSend.clear"), run: () => onChoose(undefined) }
        }
      />
    </div>
  );
}

type Search = { text: string; listId: string; choose: (choice: Choice) => void };

/** The newest of the list, or whoever has that very address. */
function People({ text, listId, choose }: Search) {
  const { t } = useTranslation();
  const email = text.includes("@") ? text : undefined;
  const newest = useQuery({
    ...pageQuery("GET /v1/subscribers", { query: { list_id: listId, status: "active", limit: MOST } }),
    enabled: email === undefined,
  });
  const named = useQuery({
    ...pageQuery("GET /v1/subscribers/search", { query: { email: email ?? "", limit: MOST } }),
    enabled: email !== undefined,
  });
  const words = email ? "" : text.toLocaleLowerCase();
  const choices = (email ? named : newest).data?.data
    .map((one) => ({ id: one.id, name: nameOf(one), note: one.email }))
    .filter(({ name, note }) => `${name} ${note}`.toLocaleLowerCase().includes(words));
  return <Found choices={choices} none={t("composer.testSend.none")} choose={choose} />;
}
