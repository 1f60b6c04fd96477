/** Reads the built dashboard into memory: it is about a megabyte, and every file of it is asked for by each new browser. */
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { DIST } from "./build.ts";

export type Asset = {
  readonly type: string;
  /** The name holds a hash of the contents, so a browser may keep the file for ever. */
  readonly isHashed: boolean;
  bodyFor(acceptEncoding: string): Promise<{ body: Buffer; encoding?: "br" | "gzip" }>;
};

export type Bundle = {
  /** Every page of the dashboard is this document; its script reads the address. */
  readonly page: Asset;
  /** Maps the path of an address to its file. */
  readonly files: ReadonlyMap<string, Asset>;
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** A font is compressed already. */
const INCOMPRESSIBLE: ReadonlySet<string> = new Set([".woff2"]);
const compress = promisify(gzip);

/** Returns undefined where nothing has been built. */
export async function openBundle(): Promise<Bundle | undefined> {
  const names: readonly string[] = await readdir(DIST, { recursive: true }).catch(() => []);
  if (!names.includes("index.html")) return undefined;
  const served = names.filter((name) => TYPES[extname(name)] !== undefined);
  const files = new Map(
    await Promise.all(served.map(async (name) => [`/${name}`, await readAsset(name, names)] as const)),
  );
  const page = files.get("/index.html");
  files.delete("/index.html");
  return page && { page, files };
}

async function readAsset(name: string, names: readonly string[]): Promise<Asset> {
  const extension = extname(name);
  const plain = await readFile(join(DIST, name));
  const beside = (suffix: string) =>
    names.includes(name + suffix) ? readFile(join(DIST, name + suffix)) : undefined;
  const brotli = await beside(".br");
  let gzipped = await beside(".gz");
  return {
    type: TYPES[extension] ?? "application/octet-stream",
    isHashed: name.startsWith("assets/"),
    async bodyFor(acceptEncoding) {
      if (INCOMPRESSIBLE.has(extension)) return { body: plain };
      if (brotli && /\bbr\b/.test(acceptEncoding)) return { body: brotli, encoding: "br" };
      if (!/\bgzip\b/.test(acceptEncoding)) return { body: plain };
      gzipped ??= await compress(plain, { level: 6 });
      return { body: gzipped, encoding: "gzip" };
    },
  };
}
