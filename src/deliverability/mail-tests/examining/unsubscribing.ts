/** Examines the way out: List-Unsubscribe (RFC 2369) with one click (RFC 8058), and that a signature covers both. */
import { findField, type ParsedField } from "../../../mail/reading/headers.ts";
import type { ReportItem } from "../schema.ts";
import { item } from "./item.ts";
import type { Signature, Signatures } from "./signatures.ts";

const CHECK_RELAY =
  "Postrider writes these fields into each mail of a list. Where they are missing or changed, a server on the way did it: look for rewriting of headers there.";

export function examineUnsubscribing(
  fields: readonly ParsedField[],
  signatures: Signatures,
): readonly ReportItem[] {
  const header = findField(fields, "list-unsubscribe");
  if (header === undefined)
    return [
      item(
        "list_unsubscribe",
        "fail",
        "There is no List-Unsubscribe",
        "The mail has no such header field.",
        `Choose a list for the campaign. ${CHECK_RELAY}`,
      ),
    ];
  const urls = [...header.matchAll(/<\s*([^<>\s]{1,2000})\s*>/g)].map(([, url = ""]) => url);
  const web = urls.find((url) => /^https?:/i.test(url));
  const evidence = `List-Unsubscribe: ${header}`;
  const way =
    urls.length > 0
      ? item("list_unsubscribe", "pass", "It says how to unsubscribe", evidence)
      : item("list_unsubscribe", "fail", "List-Unsubscribe can't be read", evidence, CHECK_RELAY);
  return [way, examineOneClick(fields, web), examineCover(signatures)];
}

function examineOneClick(fields: readonly ParsedField[], web: string | undefined): ReportItem {
  const post = findField(fields, "list-unsubscribe-post");
  const evidence = `List-Unsubscribe-Post: ${post ?? "(there is none)"}\n${web ?? "There is no address of the web."}`;
  if (post?.replaceAll(/\s/g, "").toLowerCase() !== "list-unsubscribe=one-click" || web === undefined)
    return item(
      "one_click",
      "fail",
      "Nobody can unsubscribe with one click",
      evidence,
      `RFC 8058 asks for List-Unsubscribe-Post and an https: address. ${CHECK_RELAY}`,
    );
  if (!/^https:/i.test(web))
    return item(
      "one_click",
      "fail",
      "The address for one click isn't https",
      evidence,
      "Set PUBLIC_URL to an https: address, and put a certificate in front of it.",
    );
  return item("one_click", "pass", "One click unsubscribes", evidence);
}

const BOTH = ["list-unsubscribe", "list-unsubscribe-post"];

function examineCover(signatures: Signatures): ReportItem {
  const key = "one_click_signed";
  if (signatures.kind === "failed")
    return item(key, "unknown", "Whether the way out is signed isn't known", signatures.detail);
  const passing = signatures.all.filter(({ result }) => result === "pass");
  const covering = passing.find(({ covers }) => BOTH.every((name) => covers.has(name)));
  if (covering)
    return item(
      key,
      "pass",
      "A valid signature covers the way out",
      `The signature of ${covering.domain} (selector ${covering.selector}) covers List-Unsubscribe and List-Unsubscribe-Post.`,
    );
  if (signatures.all.some(({ result }) => result === "temperror"))
    return item(key, "unknown", "Whether the way out is signed isn't known", describe(signatures.all));
  return item(
    key,
    "fail",
    "No valid signature covers the way out",
    passing.length > 0
      ? `${describe(passing)}\nNone of them covers both List-Unsubscribe and List-Unsubscribe-Post.`
      : "The mail has no valid DKIM signature.",
    "RFC 8058 §4 wants both fields in the signature, and Gmail shows no button without. Let Postrider sign: prove the domain under Domains. A relay that signs by itself must name both fields (`h=`).",
  );
}

function describe(all: readonly Signature[]): string {
  return all.map(({ domain, selector, result }) => `${domain} (selector ${selector}): ${result}`).join("\n");
}
