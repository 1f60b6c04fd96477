/** A statement as a page that prints on A4, from its data alone. Nothing in it runs, and nothing is fetched. */
import { createHash } from "node:crypto";
import type { AccountRow } from "../../../accounts/accounts.ts";
import {
  chooseLocale,
  fill,
  fillText,
  type Html,
  html,
  ownMarkup,
  showName,
  toText,
} from "../../../public-pages/public-pages.ts";
import { decimalsOf } from "../../money.ts";
import type { Statement } from "../schema.ts";
import { DOCUMENT_WORDS, type DocumentWords, ENGLISH } from "./words.ts";

const STYLE = `@page{size:A4;margin:18mm}
*{box-sizing:border-box}
html{font:400 14px/1.45 "Instrument Sans",ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:#121a16;background:#fff}
body{margin:0 auto;padding:32px 24px;max-width:800px;overflow-wrap:anywhere}
h1{font-size:24px;line-height:30px;font-weight:600;letter-spacing:-.02em;margin:0 0 4px}
h2{font-size:12px;line-height:16px;font-weight:500;color:#616e67;margin:0 0 4px}
p{margin:0}
header{display:flex;flex-wrap:wrap;gap:32px;justify-content:space-between;margin-bottom:32px}
.parties{display:flex;flex-wrap:wrap;gap:48px;margin-bottom:32px}
.quiet{color:#616e67}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:0}
dt{color:#616e67}
dd{margin:0}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th{font-size:12px;font-weight:500;color:#616e67;text-align:end;padding:8px 0 8px 12px;border-bottom:1px solid #cbd4cf}
td{text-align:end;padding:8px 0 8px 12px;border-bottom:1px solid #e3e8e5;vertical-align:top;white-space:nowrap}
th:first-child,td:first-child{text-align:start;padding-inline-start:0;white-space:normal}
tr{break-inside:avoid}
tfoot td{font-weight:600;border-bottom:0;border-top:2px solid #121a16}
footer{margin-top:24px}
@media print{body{padding:0;max-width:none}}`;
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

type Shown = {
  readonly words: DocumentWords;
  readonly money: (amount: string) => string;
  readonly count: (mails: number | undefined) => string;
  readonly time: (at: string) => string;
};

export function statementDocument(
  statement: Statement,
  account: Pick<AccountRow, "name" | "postal_address" | "locale" | "time_zone">,
  issuer: readonly string[],
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const shown = showing(statement.currency, account);
  const { words } = shown;
  const page = html`<!doctype html>
<html lang="${words.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${words.statement} ${statement.id}</title>
<style>${ownMarkup(STYLE)}</style></head><body>
<header><div><h1>${words.statement}</h1><p class="quiet">${stateOf(statement, shown)}</p></div>
<dl><dt>${words.number}</dt><dd>${statement.id}</dd><dt>${words.period}</dt>
<dd>${shown.time(statement.period.from)} – ${shown.time(statement.period.to)}</dd></dl></header>
<div class="parties">${issuer.length > 0 && party(words.issuer, issuer)}${party(words.account, [account.name, ...linesOf(account.postal_address)])}</div>
<table><thead><tr><th scope="col">${words.what}</th><th scope="col">${words.mails}</th><th scope="col">${words.included}</th>
<th scope="col">${words.credited}</th><th scope="col">${words.charged}</th><th scope="col">${words.amount}</th></tr></thead>
<tbody>${statement.lines.map((line) => rowOf(line, statement, shown))}</tbody>
<tfoot><tr><td colspan="5">${words.total}</td><td>${shown.money(statement.total)}</td></tr></tfoot></table>
<footer class="quiet"><p>${words.subtotal}: ${shown.money(statement.subtotal)}</p><p>${fill(words.times, { zone: account.time_zone })}</p></footer>
</body></html>
`;
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-robots-tag": "noindex",
    },
    body: toText(page),
  };
}

function showing(currency: string, { locale, time_zone }: Pick<AccountRow, "locale" | "time_zone">): Shown {
  const words = DOCUMENT_WORDS.get(chooseLocale(undefined, locale, [...DOCUMENT_WORDS.keys()])) ?? ENGLISH;
  const digits = decimalsOf(currency) ?? 2;
  const amounts = new Intl.NumberFormat(words.lang, {
    ...{ style: "currency", currency, currencyDisplay: "code" },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
  const counts = new Intl.NumberFormat(words.lang);
  const times = new Intl.DateTimeFormat(words.lang, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: time_zone,
  });
  return {
    words,
    // A text is taken as it is, and never becomes a float.
    money: (amount) => amounts.format(amount as Intl.StringNumericLiteral),
    count: (mails) => (mails === undefined ? "" : counts.format(mails)),
    time: (at) => times.format(new Date(at)),
  };
}

function stateOf({ closed_at }: Statement, { words, time }: Shown): string {
  return closed_at === null ? words.state.open : fillText(words.state.closed, { day: time(closed_at) });
}

function party(title: string, lines: readonly string[]): Html {
  return html`<div><h2>${title}</h2>${lines.map((line) => html`<p>${showName(line, "")}</p>`)}</div>`;
}

function linesOf(address: string | null): readonly string[] {
  return (address ?? "").split(/\r?\n/).filter((line) => line.trim() !== "");
}

function rowOf(line: Statement["lines"][number], { plan_name, is_trial }: Statement, shown: Shown): Html {
  const { count, money } = shown;
  return html`<tr><td>${whatOf(line, is_trial, plan_name, shown.words)}</td><td>${count(line.mails)}</td><td>${count(line.included)}</td>
<td>${count(line.credited)}</td><td>${count(line.charged)}</td><td>${money(line.amount)}</td></tr>
`;
}

function whatOf(
  line: Statement["lines"][number],
  isTrial: boolean,
  plan: string,
  words: DocumentWords,
): Html {
  const stream = line.stream ? words.streams[line.stream] : "";
  switch (line.kind) {
    case "base":
      return fill(isTrial ? words.trial : words.base, { plan: showName(plan, "") });
    case "mails":
      return html`${stream}`;
    case "late":
      return fill(words.late, { what: stream, statement: line.statement_id ?? "" });
    case "credit":
      return html`${words.credit}`;
    case "tax":
      return fill(words.tax, { label: showName(line.label ?? "", ""), rate: line.rate ?? "" });
  }
}
