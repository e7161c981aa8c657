import { computed, signal } from "@preact/signals";
import { lang } from "./prefs";
import { en, type Catalogue } from "./en";
import { zh } from "./zh";

/** The texts, in the reader's language. */
export const say = computed<Catalogue>(() => (lang.now.value === "zh" ? zh : en));

/** The last deed or refusal; the one live region of the page shows it. */
export const announced = signal("");

/** Announces a deed. The same text twice is announced twice. */
export function announce(text: string) {
  announced.value = "";
  setTimeout(() => (announced.value = text));
}

/** A count in the reader's language. */
export const count = (n: number | bigint) => new Intl.NumberFormat(lang.now.value).format(n);
