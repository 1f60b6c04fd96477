/** `npm run build` builds the dashboard as a release ships it, with compressed copies beside each file. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "./build.ts";

const COMPRESSED = new Set([".html", ".js", ".css", ".svg"]);

async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((one) => COMPRESSED.has(extname(one)))) {
    const file = join(folder, name);
    const plain = await readFile(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    const [brotli, gzipped] = await Promise.all([
      promisify(brotliCompress)(plain, { params }),
      promisify(gzip)(plain, { level: 9 }),
    ]);
    await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
  }
}

await build({ finish: compressAll });
