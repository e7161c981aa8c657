import { signal } from "@preact/signals";

const asked = matchMedia("(prefers-color-scheme: dark)");
const dark = signal(asked.matches);
asked.addEventListener("change", () => (dark.value = asked.matches));

/** Whether the browser prefers dark colours; a component that draws with colours is drawn anew. */
export const useDark = () => dark.value;
