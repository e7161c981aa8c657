const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const hiddenButBreaks = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/**
 * Shows characters that a reader cannot see (control, zero-width, bidirectional) as escapes such
 * as \u202e, so that two names which differ look different.
 */
export const visible = (text: string): string => text.replace(hidden, escape);

/** As visible; line breaks and tabs stay, because a text of several lines is read by them. */
export const visibleLines = (text: string): string => text.replace(hiddenButBreaks, escape);
