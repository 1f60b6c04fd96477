/** Makes up two hundred people, always the same, at domains that nobody can own (RFC 2606 §3). */
import { SAMPLE_SOURCE } from "../subscribers/subscribers.ts";

const FIRST_NAMES = [
  "Ada",
  "Bea",
  "Chidi",
  "Dilnoza",
  "Emre",
  "Françoise",
  "Grace",
  "Hồng",
  "Ines",
  "Jürgen",
  "Kofi",
  "Leila",
  "Mateo",
  "Niamh",
  "Oskar",
  "Priya",
  "Quentin",
  "Rosa",
  "Sven",
  "Tomoko",
  "Ulla",
  "Viktor",
  "Wanjiru",
  "Ximena",
  "Yusuf",
];
const LAST_NAMES = ["Abbott", "Brandt", "Castillo", "Dubois", "Eze", "Fischer", "Grant", "Hansen"];
const DOMAINS = ["example.com", "example.net", "example.org"];
const SHELVES = ["Novels", "Poetry", "Travel", "Cookery", "History"];

/** These come with them. Their names say where they are from, since tags and fields are the whole account's. */
export const SAMPLE_TAGS = ["sample: weekly letter", "sample: events"] as const;
export const SAMPLE_FIELD = { key: "sample_shelf", name: "Sample: favourite shelf", type: "text" } as const;

/** The sandbox answers some local parts as a bad server would, so that a report has more to show than mail that arrived. */
function localPart(first: string, last: string, at: number): string {
  const name = `${plain(first)}.${plain(last)}`;
  if (at % 80 === 13) return `full+${name}`;
  return at % 50 === 21 ? `defer+${name}` : name;
}

function plain(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase();
}

/** Returns the people as `POST /v1/subscribers/batch` takes them. */
export function samplePeople(listId: string) {
  const names = LAST_NAMES.flatMap((last) => FIRST_NAMES.map((first) => ({ first, last })));
  return names.map(({ first, last }, at) => ({
    email: `${localPart(first, last, at)}@${DOMAINS[at % DOMAINS.length]}`,
    list_id: listId,
    first_name: first,
    last_name: last,
    source: SAMPLE_SOURCE,
    tags: SAMPLE_TAGS.filter((_, which) => at % (which + 2) === 0),
    fields: { [SAMPLE_FIELD.key]: SHELVES[at % SHELVES.length] },
    consent: { attested: true, source: "sample data" },
  }));
}
