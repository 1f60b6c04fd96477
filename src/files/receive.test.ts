import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../../test/support/images.ts";
import { AppError } from "../platform/problems.ts";
import { createReceive } from "./receive.ts";

const uploadOf = (content: Buffer, name = "a.png") => ({
  name,
  chunks: (async function* () {
    yield content;
  })(),
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "taken",
    (error) => (error instanceof AppError ? error.problem.code : String(error)),
  );
}

test("a flood is refused where neither a decoder nor a place in the queue is free, and passes afterwards", async () => {
  const receive = createReceive({ atOnce: 1, mostWaiting: 2 });
  const image = await picture("png");
  const codes = await Promise.all(
    ["a", "b", "c", "d", "e"].map((account) => codeOf(receive(account, uploadOf(image)))),
  );
  assert.deepEqual(codes.sort(), ["files_busy", "files_busy", "taken", "taken", "taken"]);
  assert.equal(await codeOf(receive("a", uploadOf(image))), "taken");
});

test("one account can't take all places, also with uploads that never end", async () => {
  const receive = createReceive();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const endless = () => ({
    name: "a.png",
    chunks: (async function* () {
      yield Buffer.alloc(10);
      await released;
    })(),
  });
  const slow = Array.from({ length: 8 }, () => codeOf(receive("slow", endless())));
  assert.equal(await codeOf(receive("slow", endless())), "files_busy");
  assert.equal(await codeOf(receive("other", uploadOf(await picture("png")))), "taken");
  release();
  assert.deepEqual(new Set(await Promise.all(slow)), new Set(["invalid_image"]));
  assert.equal(await codeOf(receive("slow", uploadOf(await picture("png")))), "taken");
});

test("uploads that have arrived in part take 128 MB at most, from all accounts together", async () => {
  const receive = createReceive();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const chunk = Buffer.alloc(10 * 1_024 * 1_024);
  const nearlyWhole = () => ({
    name: "a.png",
    chunks: (async function* () {
      yield chunk;
      await released;
    })(),
  });
  const held = Array.from({ length: 12 }, (_, n) => codeOf(receive(`account ${n}`, nearlyWhole())));
  assert.equal(await codeOf(receive("one more", nearlyWhole())), "files_busy");
  release();
  assert.deepEqual(new Set(await Promise.all(held)), new Set(["invalid_image"]));
});

test("a name is kept as far as it can be shown", async () => {
  const receive = createReceive();
  const image = await picture("jpeg");
  const names = ["Logo – Überschrift@2x.jpg", " \u202egpj.exe\0\r\n", "", "\u200b", "x".repeat(500)];
  const shown = [];
  for (const name of names) shown.push((await receive("a", uploadOf(image, name))).name);
  assert.deepEqual(shown, [
    "Logo – Überschrift@2x.jpg",
    "gpj.exe",
    "image.jpeg",
    "image.jpeg",
    "x".repeat(200),
  ]);
});
