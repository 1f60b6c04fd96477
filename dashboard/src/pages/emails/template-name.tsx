import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Email } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { AddressLink } from "../../kit/address-link.tsx";

const KEPT_MS = 60_000;

/** The template that a mail was made from, and its version. It leads to its versions where this dashboard has a page for it. */
export function TemplateName({ of: { id, version } }: { of: NonNullable<Email["template"]> }) {
  const { t } = useTranslation();
  const router = useRouter();
  const { data } = useQuery({
    ...query("GET /v1/templates/{id}", { path: { id } }),
    staleTime: KEPT_MS,
    retry: false,
  });
  const words = t("emails.template", { name: data?.name ?? id, version });
  const pages: Readonly<Record<string, unknown>> = router.routesByPath;
  if (!data || !("/templates/$id" in pages)) return <span dir="auto">{words}</span>;
  return (
    <AddressLink className="link-u" href={`/templates/${encodeURIComponent(id)}?versions=true`}>
      <bdi>{words}</bdi>
    </AddressLink>
  );
}
