// Reads as much of Markdown as the docs check needs: code, links and the anchors of headings, with their lines.

export type Code = {
  readonly text: string;
  readonly line: number;
  /** Null for code within a sentence; "" for a block that names no language. */
  readonly language: string | null;
};
type Link = { readonly target: string; readonly line: number };
export type Page = {
  readonly code: readonly Code[];
  readonly links: readonly Link[];
  readonly anchors: ReadonlySet<string>;
};

export function readMarkdown(text: string): Page {
  const { blocks, prose } = splitBlocks(text);
  const spans: Code[] = [];
  const plain = prose.replace(codeSpan, (whole, _ticks: string, inner: string, at: number) => {
    spans.push({ text: inner.replaceAll("\n", " "), line: lineAt(prose, at), language: null });
    return whole.replaceAll(/[^\n]/g, " ");
  });
  return { code: [...blocks, ...spans], links: readLinks(plain), anchors: readAnchors(prose) };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

// A code span ends within its paragraph, so that a stray backtick doesn't swallow the rest of the page.
const codeSpan = /(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n)[\s\S])+?)(?<!`)\1(?!`)/g;
const fence = /^[ \t>]*(?:(?:[-*+]|\d+\.)[ \t]+)?(`{3,}|~{3,})[ \t]*([\w-]*)/;

/** Replaces fenced blocks by empty lines, so that lines keep their numbers. */
function splitBlocks(text: string): { blocks: Code[]; prose: string } {
  const blocks: Code[] = [];
  const prose: string[] = [];
  let open: { ticks: string; language: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, ticks = "", language = ""] = fence.exec(line) ?? [];
    if (open && ticks.startsWith(open.ticks)) {
      blocks.push({ text: open.lines.join("\n"), line: open.line, language: open.language });
      open = null;
    } else if (open) {
      open.lines.push(line);
    } else if (ticks) {
      open = { ticks, language: language.toLowerCase(), line: index + 2, lines: [] };
    }
    prose.push(open || ticks ? "" : line);
  }
  return { blocks, prose: prose.join("\n") };
}

function readLinks(plain: string): Link[] {
  const patterns = [
    /\]\(\s*<?([^)\s>]+)>?(?:\s+["'(][^)]*)?\)/g,
    /^[ \t]*\[[^\]^]+\]:[ \t]+<?([^\s>]+)/gm,
    /<(?:a|img)\b[^>]*?\b(?:href|src)=["']([^"']+)["']/g,
  ];
  return patterns.flatMap((pattern) =>
    [...plain.matchAll(pattern)].map((found) => ({
      target: found[1] ?? "",
      line: lineAt(plain, found.index),
    })),
  );
}

/**
 * Returns the anchors that GitHub makes: lower case, without punctuation, with hyphens for spaces, and repeats
 * numbered.
 */
function readAnchors(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of prose.matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm)) {
    const shown = title.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = shown
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  for (const [, id = ""] of prose.matchAll(/<\w+\b[^>]*?\b(?:id|name)=["']([^"']+)["']/g)) anchors.add(id);
  return anchors;
}
