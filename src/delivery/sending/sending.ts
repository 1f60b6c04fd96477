/** Sending: a sender leases batches, has each message composed, hands it to a transport, and writes the outcome down. */
export { type RunningSender, type SenderOptions, startSender } from "./sender.ts";
export { handOverTest, sendTest, sendTestMessages, type TestSendTools } from "./test-messages.ts";
