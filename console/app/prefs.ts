import { effect, signal } from "@preact/signals";
import { open, param, place, withQuery } from "./route";

function preference<T extends string>(name: string, values: readonly T[], fallback: T) {
  const known = (value: string | null): T | undefined => values.find((v) => v === value);
  const now = signal(known(param(name)) ?? known(stored(name)) ?? fallback);
  // The address wins over the stored choice, because a link shows the page as its sender saw it.
  effect(() => {
    const asked = known(place.value.searchParams.get(name));
    if (asked) set(asked);
  });
  function set(value: T) {
    now.value = value;
    try {
      localStorage.setItem("stationmaster." + name, value);
    } catch {
      // The browser stores nothing for this page: the choice holds until it is left.
    }
  }
  return {
    name,
    values,
    now,
    choose(value: string) {
      const chosen = known(value);
      if (!chosen) return;
      set(chosen);
      if (param(name)) open(withQuery({ [name]: chosen }), "replace");
    },
  };
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem("stationmaster." + name);
  } catch {
    return null;
  }
}

const ofDocument = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

/** The language of the texts. */
export const lang = preference("lang", ["en", "zh"] as const, ofDocument);

/** The colours; auto: those that the browser prefers. */
export const theme = preference("theme", ["auto", "light", "dark"] as const, "auto");

/** The zone in which times are shown: of the plan, of the browser, or UTC. */
export const tz = preference("tz", ["plan", "browser", "utc"] as const, "plan");

/** Whether single keys are shortcuts. */
export const keys = preference("keys", ["on", "off"] as const, "on");

effect(() => {
  document.documentElement.lang = lang.now.value === "zh" ? "zh-CN" : "en";
});
effect(() => {
  document.documentElement.dataset.theme = theme.now.value;
});

/** Whether there is room for the parts that a narrow page folds away. */
export const hasRoom = matchMedia("(min-width: 640px)").matches;
