/**
 * Knows what mail clients can't show, from caniemail's measurements, which its package holds as a file. Only that
 * data is used: the package's own search takes `<table>` for `<a>`, throws where a client wasn't measured, and
 * recurses.
 */
import { nameMedia } from "../reading/reading.ts";

export type Feature = {
  readonly title: string;
  readonly url: string;
  /** True where something is missing or misplaced without the feature, rather than merely plainer. */
  readonly isVital: boolean;
  /** The names of the clients that lack the feature, those with the most readers first. */
  readonly lackedBy: readonly string[];
  /** The share of readers, in per cent, who use one of these clients. */
  readonly reach: number;
};

type Measured = {
  readonly slug: string;
  readonly title: string;
  readonly url: string;
  readonly category: string;
  readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
};

/**
 * The clients with their share of readers, which is our own rough estimate: published counts of opens overstate
 * Apple, which loads every image, and understate Outlook, which loads none. Only the order of magnitude matters.
 */
const clients: readonly (readonly [family: string, platform: string, name: string, share: number])[] = [
  ["apple-mail", "ios", "Apple Mail (iOS)", 30],
  ["gmail", "desktop-webmail", "Gmail (web)", 15],
  ["apple-mail", "macos", "Apple Mail (macOS)", 10],
  ["gmail", "android", "Gmail (Android)", 10],
  ["outlook", "windows", "Outlook (Windows)", 10],
  ["gmail", "ios", "Gmail (iOS)", 7],
  ["outlook", "outlook-com", "Outlook.com", 5],
  ["outlook", "macos", "Outlook (macOS)", 2],
  ["outlook", "ios", "Outlook (iOS)", 2],
  ["samsung-email", "android", "Samsung Email", 2],
  ["yahoo", "desktop-webmail", "Yahoo (web)", 2],
  ["outlook", "android", "Outlook (Android)", 1],
  ["thunderbird", "macos", "Thunderbird", 1],
  ["yahoo", "android", "Yahoo (Android)", 1],
  ["yahoo", "ios", "Yahoo (iOS)", 1],
  ["gmx", "desktop-webmail", "GMX", 0.5],
  ["protonmail", "desktop-webmail", "Proton Mail", 0.5],
];

/** Matches caniemail's names of the features that are vital. Any other may be missing without a reader noticing. */
const vital = new RegExp(
  "^(?:css-(?:display-(?:flex|grid)|flex-|grid-|gap|position|float|inset|left-|background-image|function-|unit-|variables|" +
    "nesting|object-|(?:margin|padding)-inline|block-inline|intrinsic|modern-color|writing-mode|clip-path|mask|at-import|" +
    "transform$|radial|conic|linear)|html-(?:video|audio|svg|form|input|select|textarea|button|picture|srcset|object|" +
    "dialog|link|base|meter|progress|marquee|image-maps|anchor|background)|image-)",
);

let loading: Promise<ReadonlyMap<string, Feature>> | undefined;

/**
 * Returns features by the names that `used-features.ts` gives them. The file of 650 KB is read at the first call
 * only, in 20 ms.
 */
export function loadFeatures(): Promise<ReadonlyMap<string, Feature>> {
  loading ??= import("caniemail/caniemail.json", { with: { type: "json" } }).then(({ default: json }) =>
    indexFeatures(json.data as unknown as readonly Measured[]),
  );
  return loading;
}

function indexFeatures(measured: readonly Measured[]): ReadonlyMap<string, Feature> {
  const features = new Map<string, Feature>();
  for (const one of measured) {
    const lacking = clients.filter(([family, platform]) => isLacking(one.stats[family]?.[platform]));
    if (lacking.length === 0) continue;
    const feature: Feature = {
      title: one.title.trim(),
      url: one.url,
      isVital: vital.test(one.slug),
      lackedBy: lacking.map(([, , name]) => name),
      reach: lacking.reduce((sum, [, , , share]) => sum + share, 0),
    };
    for (const name of namesOf(one)) if (!features.has(name)) features.set(name, feature);
  }
  return features;
}

/** The marks `y` (yes), `a` (in part) and `u` (unknown) don't count as a lack. */
function isLacking(versions: Readonly<Record<string, string>> = {}): boolean {
  const newest = Object.keys(versions).sort(compareVersions).at(-1) ?? "";
  return versions[newest]?.startsWith("n") ?? false;
}

const byNumber = new Intl.Collator("en", { numeric: true });

/**
 * JSON.parse loses the order of the file and puts `14` before `13.1`, so versions are sorted here. Versions that are
 * dates are older than those that are numbers.
 */
function compareVersions(one: string, other: string): number {
  const byKind = Number(isDate(other)) - Number(isDate(one));
  return byKind || byNumber.compare(one, other);
}

function isDate(version: string): boolean {
  return /^20\d\d(?:-\d\d)?$/.test(version);
}

/** The names of features whose titles don't say how they are written. */
const odd: Readonly<Record<string, readonly string[]>> = {
  "css-unit-calc": ["calc()"],
  "css-variables": ["var()"],
  "css-nesting": ["&"],
  "css-color-scheme": ["color-scheme"],
  "css-intrinsic-size": ["fit-content"],
  "css-grid-template": [
    "grid-template",
    "grid-template-areas",
    "grid-template-columns",
    "grid-template-rows",
  ],
  "css-column-layout-properties": ["columns", "column-gap", "column-rule", "column-span", "column-width"],
  "css-border-inline-block-individual": [
    "border-inline-start",
    "border-inline-end",
    "border-block-start",
    "border-block-end",
  ],
  "css-border-inline-block-longhand": ["border-inline-color", "border-inline-style", "border-inline-width"],
  "css-border-radius-logical": [
    "border-start-start-radius",
    "border-start-end-radius",
    "border-end-start-radius",
  ],
  "html-semantics": "article aside details figcaption figure footer header main nav section summary"
    .split(" ")
    .map((name) => `<${name}>`),
  "html-svg": ["<svg>"],
  "html-image-maps": ["<map>"],
  "html-anchor-links": ["#anchor"],
  "image-base64": ["data:"],
};

function namesOf({ slug, title, category }: Measured): readonly string[] {
  const known = odd[slug];
  if (known) return known;
  if (category === "image") return [slug.replace("image-", "image/")];
  if (category === "html") return htmlNames(title);
  if (category !== "css") return [];
  const [, kind, rest = ""] = /^css-(pseudo-class|pseudo-element|unit|at-media)-(.+)$/.exec(slug) ?? [];
  if (kind === "pseudo-class") return [`:${rest}`];
  if (kind === "pseudo-element") return [`::${rest}`, `:${rest}`];
  if (kind === "unit") return [rest];
  if (kind === "at-media")
    return [...title.matchAll(/\(([a-z-]+)\)/g)].map(([, name = ""]) => nameMedia(name));
  if (title.startsWith("@")) return [title];
  if (title.includes("()")) return title.match(/[a-z-]+\(\)/g) ?? [];
  const pair = /^([a-z-]+):\s*([a-z-]+)$/.exec(title);
  if (pair) return [`${pair[1]}:${pair[2]}`];
  return title
    .replace(/ (?:property|shorthand)$/, "")
    .split(/\s*[,&]\s*/)
    .filter((name) => /^[a-z-]+$/.test(name));
}

function htmlNames(title: string): readonly string[] {
  const typed = /^<(\w+) type="(\w+)">/.exec(title);
  if (typed) return [`<${typed[1]} type=${typed[2]}>`];
  if (/ attributes?$/.test(title)) {
    return title
      .replace(/ attributes?$/, "")
      .split(/, | and /)
      .map((name) => `[${name}]`);
  }
  return title.match(/<\w+>/g) ?? (/^\w+$/.test(title) ? [`<${title}>`] : []);
}
