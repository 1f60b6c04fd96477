/**
 * Amounts of money are whole numbers of the currency's smallest unit: cents, yen, fils. They are written as decimal texts such as `29.00`, and no
 * amount is ever a float. How many decimals a currency has is said by ISO 4217.
 */

/** A currency that isn't listed here, or under the other numbers of decimals, is unknown. */
const TWO_DECIMALS =
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD " +
  "EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL " +
  "MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP " +
  "SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG";
const NO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND";

const DECIMALS: ReadonlyMap<string, number> = new Map(
  [NO_DECIMALS, "", TWO_DECIMALS, THREE_DECIMALS].flatMap((codes, decimals) =>
    codes
      .split(" ")
      .filter((code) => code !== "")
      .map((code) => [code, decimals] as const),
  ),
);

/** The most that an amount may be, in smallest units: sums of many thousand such amounts are still exact as numbers. */
export const MOST_AMOUNT = 100_000_000_000;

/** Returns how many decimals the currency has, or undefined for one that nobody knows. */
export function decimalsOf(currency: string): number | undefined {
  return DECIMALS.get(currency);
}

/** Reads `29.00` as 2900 in a currency with two decimals. Zeros beyond the last decimal and signs are refused as anything else is. */
export function readAmount(
  text: string,
  currency: string,
  most = MOST_AMOUNT,
): number | { readonly wrong: string } {
  const decimals = requireDecimals(currency);
  const parts = /^(0|[1-9]\d{0,14})(?:\.(\d{1,6}))?$/.exec(text);
  if (!parts) return { wrong: "must be an amount such as 29 or 29.50, without a sign or a separator" };
  const [, whole = "", fraction = ""] = parts;
  if (fraction.length > decimals) return { wrong: `may have ${countOf(decimals)} in ${currency}` };
  const amount = BigInt(whole + fraction.padEnd(decimals, "0"));
  if (amount > BigInt(most)) return { wrong: `may be at most ${writeAmount(most, currency)} ${currency}` };
  return Number(amount);
}

/** Writes an amount with all decimals of its currency. Only amounts that correct others are negative. */
export function writeAmount(amount: number, currency: string): string {
  const decimals = requireDecimals(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return amount < 0 ? `-${text}` : text;
}

/** Multiplies an amount by a fraction and rounds to the nearest whole unit, halves upwards. None of the numbers is negative. */
export function share(amount: number, numerator: number, denominator: number): number {
  const product = BigInt(amount) * BigInt(numerator) * 2n + BigInt(denominator);
  return Number(product / (2n * BigInt(denominator)));
}

function requireDecimals(currency: string): number {
  const decimals = decimalsOf(currency);
  if (decimals === undefined) throw new Error(`${currency} is no currency that is known here`);
  return decimals;
}

function countOf(decimals: number): string {
  return decimals === 0 ? "no decimals" : `at most ${decimals} decimals`;
}
