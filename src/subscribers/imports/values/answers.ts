const YES = /^(?:true|yes|y|1|x|on|ja|oui|sí|si|sim|да)$/i;
const NO = /^(?:false|no|n|0|off|nein|non|não|nao|nej|нет)$/i;

/** Reads a yes or a no as files have them; undefined means that it is neither. */
export function readAnswer(text: string): boolean | undefined {
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}
