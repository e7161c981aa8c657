/** A value of JSON. An integer beyond 2^53 is a bigint, because a number would lose its last digits. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/** An object of JSON. */
export type JsonObject = { [name: string]: Json };

/** Reads JSON text without a loss of digits. Throws a SyntaxError when it is none. */
export function parseJson(text: string): Json {
  const exact = (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && context?.source && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value;
  return JSON.parse(text, exact as (this: unknown, name: string, value: unknown) => unknown) as Json;
}

/**
 * Writes JSON text, with the digits that parseJson has read. Characters that a reader cannot see
 * are escapes in it, which mean the same.
 */
export function formatJson(value: Json, indent = 0): string {
  // A browser that reads exact integers also has rawJSON, which writes them.
  const raw = (JSON as unknown as { rawJSON?(text: string): unknown }).rawJSON;
  const text = JSON.stringify(value, (_name, v) => (typeof v === "bigint" ? raw?.(String(v)) : v), indent);
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (c) => c.split("").map(unit).join(""));
}

const unit = (half: string) => "\\u" + half.charCodeAt(0).toString(16).padStart(4, "0");
