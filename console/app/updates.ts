import { computed, signal } from "@preact/signals";
import { session } from "./session";

const paused = signal(false);
const tick = signal(Date.now());
setInterval(() => document.visibilityState === "visible" && (tick.value = Date.now()), 1000);

/** Whether pages ask again by themselves. */
export const updates = {
  paused,
  toggle: () => (paused.value = !paused.value),
  /** Whether a page may ask again now. */
  due: () => !paused.peek() && document.visibilityState === "visible",
};

/** The server's time in milliseconds, moving on by the second. */
export const now = computed(() => tick.value + session.clock.value.by);
