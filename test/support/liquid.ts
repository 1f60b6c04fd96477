/** Generates random Liquid, merge data and text for property tests and the score. */
import fc from "fast-check";

const names = [
  "first_name",
  "email",
  "fields",
  "subscriber",
  "missing",
  "n",
  "list",
  "toString",
  "__proto__",
];

const path = fc.oneof(
  fc.constantFrom(...names),
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom(".city", ".size", ".first", "[0]", "[-1]", '["a b"]', ".tags", "[n]"),
    )
    .map((parts) => parts.join("")),
  fc.constantFrom("fields.city.size", "subscriber.fields.city", "list.tags[1]", "list.tags.last"),
);

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("Zoë", "ßẞ", "ﬁ", "İ", "𝒳𝒴𝒵", "\uD800", "<b>&amp;'\"", "a  b\r\nc", "漢字", "x\0y", "%20+"),
);

const literal = fc.oneof(
  text.map((value) => `"${value.replaceAll(/["\\{}%]/g, "")}"`),
  fc.integer({ min: -3, max: 60 }).map(String),
  fc.constantFrom("1.5", "nil", "true", "false", "empty", "blank", "'there'"),
);

const value = fc.oneof({ arbitrary: path, weight: 3 }, { arbitrary: literal, weight: 1 });

const filterWithout = fc.constantFrom(
  ..."upcase downcase capitalize escape escape_once strip lstrip rstrip squish strip_html newline_to_br".split(
    " ",
  ),
  ..."strip_newlines url_encode url_decode cgi_escape uri_escape size first last json raw abs ceil floor".split(
    " ",
  ),
  ..."round slugify base64_encode base64_decode sha256 truncate truncatewords number_of_words reverse".split(
    " ",
  ),
  ..."date date_to_string compact uniq join default append split inspect to_integer".split(" "),
);
const filterWith = fc
  .tuple(
    fc.constantFrom(
      ..."default append prepend remove replace_first truncate truncatewords date split join slice plus".split(
        " ",
      ),
      ..."minus times divided_by modulo at_least at_most round strip rstrip push concat".split(" "),
    ),
    value,
  )
  .map(([name, argument]) => `${name}: ${argument}`);
const filterWithTwo = fc
  .tuple(fc.constantFrom("replace", "replace_first", "replace_last", "truncate", "slice"), value, value)
  .map(([name, one, two]) => `${name}: ${one}, ${two}`);

const filtered = fc
  .tuple(value, fc.array(fc.oneof(filterWithout, filterWith, filterWithTwo), { maxLength: 3 }))
  .map(([start, filters]) => [start, ...filters].join(" | "));

const condition = fc.oneof(
  value,
  fc
    .tuple(value, fc.constantFrom("==", "!=", "<", ">", "<=", ">=", "contains", "and", "or"), value)
    .map((parts) => parts.join(" ")),
);

const dash = fc.constantFrom("", "", "-");

const { node } = fc.letrec<{ node: string; block: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: text.map((plain) => plain.replaceAll(/[{}%]/g, " ")), weight: 3 },
    {
      arbitrary: fc
        .tuple(dash, filtered, dash)
        .map(([left, inner, right]) => `{{${left} ${inner} ${right}}}`),
      weight: 4,
    },
    { arbitrary: tie("block"), weight: 2 },
  ),
  block: fc.oneof(
    fc
      .tuple(condition, tie("node"), tie("node"))
      .map(([test, yes, no]) => `{% if ${test} %}${yes}{% else %}${no}{% endif %}`),
    fc.tuple(condition, tie("node")).map(([test, yes]) => `{%- unless ${test} -%} ${yes} {%- endunless -%}`),
    fc
      .tuple(value, value, tie("node"), tie("node"))
      .map(([of, when, yes, no]) => `{% case ${of} %}{% when ${when} %}${yes}{% else %}${no}{% endcase %}`),
    fc
      .tuple(fc.constantFrom("n", "x", "first_name"), filtered)
      .map(([name, of]) => `{% assign ${name} = ${of} %}`),
    tie("node").map((inner) => `{% capture x %}${inner}{% endcapture %}{{ x }}`),
    filtered.map((of) => `{% echo ${of} %}`),
    fc.constantFrom("{% raw %}{{ x }}{% endraw %}", "{% comment %}{{{% endcomment %}", "{% # note %}"),
    tie("node").map((inner) => `{% for i in list.tags %}${inner}{{ i }}{% endfor %}`),
  ),
}));

export const liquidTemplates = fc.array(node, { maxLength: 5 }).map((nodes) => nodes.join(""));

const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));

export const mergeData = fc.record(
  {
    first_name: scalar,
    email: text,
    n: fc.oneof(fc.integer({ min: -2, max: 3 }), scalar),
    fields: fc.dictionary(fc.constantFrom("city", "a b", "size", "first", "tags"), scalar),
    subscriber: fc.record({ fields: fc.record({ city: scalar }), tags: fc.array(text, { maxLength: 3 }) }),
    list: fc.record({ tags: fc.array(scalar, { maxLength: 3 }) }),
  },
  { requiredKeys: [] },
);

/** Generates text of any characters, also halves of them. fast-check's own generator takes a second to set up. */
export const anyText = fc
  .array(
    fc
      .oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }), fc.nat({ max: 0x10ffff }))
      .map((code) => String.fromCodePoint(code)),
    { maxLength: 20 },
  )
  .map((characters) => characters.join(""));

/** Generates what a hostile author tries: texts that double, and work that is repeated on what has grown. */
const growing = fc.oneof(
  fc
    .tuple(fc.constantFrom("a", "b", "first_name"), fc.integer({ min: 1, max: 30 }))
    .map(([name, times]) =>
      `{% capture ${name} %}{{ ${name} }}{{ fields.x }}{{ ${name} }}{% endcapture %}`.repeat(times),
    ),
  fc
    .tuple(
      fc.constantFrom("append: a", "prepend: a", "replace: 'x', a", "replace: '', a", "join: a", "push: a"),
      fc.integer({ min: 1, max: 30 }),
    )
    .map(([filter, times]) => `{% assign a = a | default: fields.x | ${filter} %}`.repeat(times)),
  fc
    .tuple(
      fc.constantFrom(
        "json",
        "escape",
        "url_encode",
        "newline_to_br",
        "upcase",
        "base64_encode",
        "split: ''",
      ),
      fc.integer({ min: 1, max: 12 }),
    )
    .map(([filter, times]) => `{% assign a = fields.x${` | ${filter}`.repeat(times)} %}{{ a }}`),
  fc
    .tuple(fc.constantFrom("a", "fields.x", "subscriber.tags"), fc.integer({ min: 1, max: 300 }))
    .map(([name, times]) => `{% if ${name} contains 'yy' %}{{ ${name} }}{% endif %}`.repeat(times)),
  fc
    .tuple(
      fc.integer({ min: 1, max: 4_000 }),
      fc.constantFrom(
        "if h contains n",
        "if h == n",
        "assign a = h | split: n",
        "assign a = h | replace: n, a",
      ),
    )
    .map(
      ([letters, use]) =>
        `{% assign n = "${"y".repeat(letters)}" | append: fields.x %}{% assign h = n | append: n %}` +
        `{% ${use} %}${use.startsWith("if") ? "!{% endif %}" : ""}`,
    ),
  fc
    .integer({ min: 1, max: 9 })
    .map((digits) => `{{ "2026-11-14" | date: "%${"9".repeat(digits)}d%B" }}{{ fields.x | truncate: 9e9 }}`),
  fc
    .integer({ min: 1, max: 99 })
    .map(
      (times) =>
        `{% for i in (1..${times}) %}{% capture a %}{{ a }}{{ a }}x{% endcapture %}{% endfor %}{{ a }}`,
    ),
);

export const hostileTemplates = fc
  .array(fc.oneof({ arbitrary: growing, weight: 3 }, { arbitrary: node, weight: 1 }), { maxLength: 6 })
  .map((nodes) => nodes.join(""));
