/**
 * Liquid is the template language. This folder limits what a template may cost and has a fast path for the common
 * ones.
 */
export { worstCost } from "./bounds.ts";
export {
  authorEngine,
  createContext,
  describeError,
  htmlEngine,
  LinkTag,
  limitOf,
  liquidFault,
  PixelTag,
  parseLiquid,
  plainEngine,
  type RecipientUrls,
  type RenderLimits,
  renderNodes,
} from "./engine.ts";
export { compileNode, compileNodes, type Emit } from "./fast-render.ts";
export { listLiquidNames } from "./names.ts";
export { type FilterPlace, findFilters, findLiquid, hideLiquid, type LiquidPiece } from "./tokens.ts";
export { findFilterUses, findSetNames, findVariables } from "./variables.ts";
