/**
 * A DNS server that has an answer for every name: one mail server for each domain, and one address for each of those. It answers after as many
 * milliseconds as it is told.
 */
import { createSocket } from "node:dgram";

const HEADER_BYTES = 12;
const MX = 15;
const A = 1;
/** A pointer to the name in the question (RFC 1035 §4.1.4). */
const NAME = [0xc0, HEADER_BYTES];
const TTL = [0, 0, 1, 44];

const answers = new Map([
  // "mx." in front of the name that was asked for, at preference 10.
  [MX, Buffer.from([...NAME, 0, MX, 0, 1, ...TTL, 0, 7, 0, 10, 2, 0x6d, 0x78, ...NAME])],
  [A, Buffer.from([...NAME, 0, A, 0, 1, ...TTL, 0, 4, 93, 184, 216, 34])],
]);

const delayMs = Number(process.argv[2] ?? 0);
const socket = createSocket({ type: "udp4", recvBufferSize: 4_194_304 });
socket.on("message", (query, from) => {
  let end = HEADER_BYTES;
  while (query[end] !== 0 && end < query.length) end += (query[end] ?? 0) + 1;
  const answer = answers.get(query.readUInt16BE(end + 1));
  const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, answer ? 1 : 0, 0, 0, 0, 0]);
  const question = query.subarray(HEADER_BYTES, end + 5);
  const reply = () =>
    socket.send(Buffer.concat([header, question, answer ?? Buffer.alloc(0)]), from.port, from.address);
  if (delayMs === 0) reply();
  else setTimeout(reply, delayMs);
});
socket.bind(0, "127.0.0.1", () => process.send?.({ port: socket.address().port }));
process.on("disconnect", () => process.exit());
