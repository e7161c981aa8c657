import { computed, signal } from "@preact/signals";
import { lang } from "./prefs";
import { en, type Catalogue } from "./en";
import { zh } from "./zh";

/** What the console says, in the reader's language. */
export const say = computed<Catalogue>(() => (lang.now.value === "zh" ? zh : en));

/** What was done or refused last; the one live region of the page shows it. */
export const announced = signal("");

/** Says what was done. The same text twice is said twice. */
export function announce(text: string) {
  announced.value = "";
  setTimeout(() => (announced.value = text));
}

/** A count in the reader's language. */
export const count = (n: number | bigint) => new Intl.NumberFormat(lang.now.value).format(n);
