/** Amounts of money as people of the language write them. They come as decimal texts and are written as exactly as they came. */
import { LANGUAGE } from "./i18n.ts";

/** `29.00` and `EUR` as €29.00. It has as many decimals as the text has, so that nothing is rounded. */
export function formatMoney(amount: string, currency: string): string {
  const decimals = amount.split(".")[1]?.length ?? 0;
  return new Intl.NumberFormat(LANGUAGE, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(amount as `${number}`);
}

/** How many decimals amounts of the currency have, or undefined while no whole code is typed. */
export function decimalsOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return undefined;
  return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).resolvedOptions()
    .maximumFractionDigits;
}
