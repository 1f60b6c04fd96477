/** This rule reports each feature in a mail that some mail clients can't show, with the names of those clients. */

import type { UsedFeatures } from "../reading/reading.ts";
import type { Feature } from "./client-support.ts";
import type { Rule } from "./rule.ts";

/** A feature is reported when clients of at least this many per cent of readers lack it. */
const REACH = 10;
const NAMED_CLIENTS = 6;

export function clientSupportRules(features: ReadonlyMap<string, Feature>): readonly Rule[] {
  return [
    {
      code: "unsupported_feature",
      severity: "info",
      remedy: "Make sure that the mail can be read without it.",
      *find({ usedFeatures }) {
        const used = [...findUsed(usedFeatures, features)].filter(([{ reach }]) => reach >= REACH);
        used.sort(([one], [other]) => Number(other.isVital) - Number(one.isVital) || other.reach - one.reach);
        for (const [feature, offset] of used) {
          const severity = feature.isVital ? "warning" : "info";
          yield {
            message: describe(feature),
            severity,
            at: { part: "html", offset },
            ...(feature.isVital && { remedy: vitalRemedy }),
          };
        }
      },
    },
  ];
}

const vitalRemedy = "Build it another way (tables, pixels, pictures as PNG or JPEG), or leave it out.";

function findUsed(usedFeatures: UsedFeatures, features: ReadonlyMap<string, Feature>): Map<Feature, number> {
  const used = new Map<Feature, number>();
  for (const [name, offset] of usedFeatures) {
    const feature = featureOf(name, features);
    if (feature) used.set(feature, Math.min(used.get(feature) ?? offset, offset));
  }
  return used;
}

/**
 * Finds a feature by its name. A property that wasn't measured counts as part of a shorter one, such as
 * `animation-name` of `animation`.
 */
function featureOf(name: string, features: ReadonlyMap<string, Feature>): Feature | undefined {
  for (let known = name; ; known = known.slice(0, known.lastIndexOf("-"))) {
    const feature = features.get(known);
    if (feature || !/^[a-z]+-[a-z-]+$/.test(known)) return feature;
  }
}

function describe({ title, lackedBy, reach }: Feature): string {
  const named = lackedBy.slice(0, NAMED_CLIENTS).join(", ");
  const rest = lackedBy.length > NAMED_CLIENTS ? ` and ${lackedBy.length - NAMED_CLIENTS} more` : "";
  return `${title} isn't supported by ${named}${rest}: roughly ${Math.round(reach / 5) * 5} % of readers.`;
}
