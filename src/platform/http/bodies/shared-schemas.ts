/**
 * Writes the parts that a schema has in several places once, and refers to them elsewhere. A large schema is compiled in a part of the time
 * then: that of a mail made of blocks repeats the schema of its words in forty places.
 */

type Json = Readonly<Record<string, unknown>>;

/** Under these names stand schemas, lists of schemas, and schemas by name; everything else is left as it is. */
const ONE = new Set(["items", "not", "additionalProperties"]);
const SEVERAL = new Set(["oneOf", "anyOf", "allOf"]);
const BY_NAME = new Set(["properties", "patternProperties"]);

export function writeOnce(schema: object): object {
  const repeated = findRepeated(schema as Json);
  const names = new Map<Json, string>();
  const definitions: Record<string, unknown> = {};

  function write(part: unknown): unknown {
    if (!isSchema(part)) return part;
    // Whoever knows what is stored checks it, as the schema says, but for what was stored so.
    if ("x-checked-later" in part) return { type: part["type"] };
    if (!repeated.has(part)) return writeInner(part);
    const known = names.get(part);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `part${names.size + 1}`;
    names.set(part, name);
    definitions[name] = writeInner(part);
    return { $ref: `#/$defs/${name}` };
  }

  function writeInner(part: Json): Json {
    const written = writeParts(part);
    return "discriminator" in part ? { ...written, "x-kinds": kindsOf(part) } : written;
  }

  function writeParts(part: Json): Json {
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        if (ONE.has(name)) return [name, write(value)];
        if (SEVERAL.has(name)) return [name, (value as unknown[]).map(write)];
        if (!BY_NAME.has(name)) return [name, value];
        return [
          name,
          Object.fromEntries(Object.entries(value as Json).map(([key, one]) => [key, write(one)])),
        ];
      }),
    );
  }

  const written = writeInner(schema as Json);
  return names.size === 0 ? written : { ...written, $defs: definitions };
}

/** A fault names the forms of an object, which then stand elsewhere. */
function kindsOf({ oneOf }: Json): string[] {
  const forms = oneOf as readonly { readonly properties: { readonly type: { readonly const: string } } }[];
  return forms.map(({ properties }) => properties.type.const);
}

/** Finds the objects and lists that stand in more than one place. What has no parts of its own isn't worth a name. */
function findRepeated(schema: Json): ReadonlySet<Json> {
  const seen = new Set<Json>();
  const repeated = new Set<Json>();
  const visit = (part: unknown) => {
    if (!isSchema(part)) return;
    if (seen.has(part)) {
      if (innerOf(part).length > 0) repeated.add(part);
      return;
    }
    seen.add(part);
    for (const inner of innerOf(part)) visit(inner);
  };
  visit(schema);
  return repeated;
}

function innerOf(schema: Json): unknown[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    if (ONE.has(name)) return [value];
    if (SEVERAL.has(name)) return value as unknown[];
    return BY_NAME.has(name) ? Object.values(value as Json) : [];
  });
}

function isSchema(part: unknown): part is Json {
  return typeof part === "object" && part !== null;
}
