import type { TestEvent } from "node:test/reporters";

/** A reporter that prints the files in which a test failed, a line each. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== "test:fail") continue;
    // A test may be written in a file that the one which was run only calls.
    const { entryFile = data.file } = data as { entryFile?: string };
    if (entryFile) files.add(entryFile);
  }
  for (const file of files) yield `${file}\n`;
}
