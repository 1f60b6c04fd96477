/** Reads the test file of isemail, a flat list of `<test>` elements of which three children matter. */
export type IsemailTest = {
  readonly id: string;
  readonly address: string;
  /** A name such as ISEMAIL_ERR or ISEMAIL_RFC5321, which says how far the address is from plainly valid. */
  readonly category: string;
  readonly diagnosis: string;
};

export function readIsemailTests(xml: string): IsemailTest[] {
  const elements = xml.replaceAll(/<!--.*?-->/gs, "").matchAll(/<test\s+id="([^"]*)"\s*>(.*?)<\/test>/gs);
  return [...elements].map(([, id = "", body = ""]) => ({
    id,
    address: fromPictures(childText(body, "address")),
    category: childText(body, "category").trim(),
    diagnosis: childText(body, "diagnosis").trim(),
  }));
}

/** Returns the text unchanged, because blanks around an address are part of the case. */
function childText(body: string, name: string): string {
  const [, text = ""] = new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(body) ?? [];
  return text.replaceAll(/&(#x[\da-f]+|#\d+|\w+);/gi, (_, entity: string) => decodeEntity(entity));
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decodeEntity(entity: string): string {
  if (/^#x/i.test(entity)) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16));
  if (entity.startsWith("#")) return String.fromCodePoint(Number(entity.slice(1)));
  const character = named[entity];
  if (character === undefined) throw new Error(`the corpus holds an entity that XML lacks: &${entity};`);
  return character;
}

/** XML can't hold most control characters, so the corpus writes ␇ (U+2407) for U+0007. */
function fromPictures(text: string): string {
  return text.replaceAll(/[\u2400-\u241F]/g, (picture) =>
    String.fromCharCode(picture.charCodeAt(0) - 0x2400),
  );
}
