/** The links of a mail that lead back here: their tokens, and what each number of a frozen mail leads to. */
export {
  type CountedLink,
  type FrozenLink,
  type FrozenLinks,
  readCountedLinks,
  readFrozenLinks,
  readFrozenWords,
  readLinkUrls,
  readManyLinkUrls,
} from "./frozen-links.ts";
export {
  createLinkTokens,
  type HitTokens,
  INERT_TOKEN,
  type LinkTokens,
  linksFor,
  type MailLinks,
  NO_URLS,
} from "./link-tokens.ts";
export {
  createReturnPaths,
  type MailReturnPaths,
  type ReadReturnPath,
  type ReturnPaths,
} from "./return-paths.ts";
