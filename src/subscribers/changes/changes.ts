/** What adds subscribers and changes them, one by one and many at once. */

export { addSubscribers, type OnConflict } from "./add.ts";
export { addBatch } from "./batch.ts";
export { changeAddress } from "./change-address.ts";
export { deleteSubscribers } from "./delete-subscribers.ts";
export {
  addressFaultsIn,
  type Candidate,
  consentFaults,
  readAddress,
  readCandidate,
  readPlainFromFile,
  readPlainValue,
  unknownList,
} from "./input.ts";
export { findPause, pauseContact, removePause } from "./pause.ts";
export { subscriberEtag, updateSubscriber } from "./update.ts";
