import { useTranslation } from "react-i18next";
import type { Form } from "../../api/openapi.ts";

/** Whether a form takes people. */
export function FormState({ form: { status } }: { form: Pick<Form, "status"> }) {
  const { t } = useTranslation();
  return <span className={status === "active" ? "badge accent" : "badge"}>{t(`forms.${status}`)}</span>;
}
