import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { parseJson, type JsonObject } from "./json";
import { readStream, reconnected, Refusal } from "./rest";
import { updates } from "./updates";

/** The server's summary of a second. */
export interface Summary {
  time: string;
  results: Record<string, number>;
  events: Record<string, number>;
  stations: { station: string; results: Record<string, number> }[];
  items: JsonObject[];
  left_out: number;
}

/** A line of the list: an item, a number of items left out, or the reason why lines are missing. */
export type Line = { key: number } & ({ item: JsonObject } | { leftOut: number; at: string } | { gap: "gap" | "missed" });

/** The lines and counts since the page follows. */
export interface Followed {
  busy: boolean;
  refused?: Refusal;
  last?: Summary;
  /** The newest first. */
  lines: Line[];
  shown: number;
  leftOut: number;
}

/** How many lines are kept. */
const most = 5000;

const nothing = { lines: [], shown: 0, leftOut: 0 };

/**
 * Follows summaries while the page can be seen and updates are not paused, because a stream that
 * is hidden holds one of the few connections that a browser opens to a server. The time meanwhile is not
 * guessed: a line tells of the gap. The second value forgets all lines.
 */
export function useSummaries(address: string): [Signal<Followed>, () => void] {
  const followed = useSignal<Followed>({ busy: true, ...nothing });
  useEffect(() => {
    followed.value = { ...nothing, busy: true };
    let next = 0;
    let gap: "gap" | "missed" | undefined;
    let round: AbortController | undefined;
    let timer = 0;
    const add = (lines: Line[], more: Partial<Followed>) => {
      followed.value = { ...followed.value, ...more, lines: [...lines, ...followed.value.lines].slice(0, most) };
    };
    const take = (event: string, data: string) => {
      if (event === "missed") gap = "missed";
      if (event !== "summary") return;
      const s = parseJson(data) as unknown as Summary;
      const before = followed.value;
      const lines: Line[] = [];
      if (gap && before.lines.length > 0) lines.push({ key: next++, gap });
      gap = undefined;
      for (const item of s.items) lines.push({ key: next++, item });
      if (s.left_out > 0) lines.push({ key: next++, leftOut: s.left_out, at: s.time });
      add(lines.reverse(), { last: s, shown: before.shown + s.items.length, leftOut: before.leftOut + s.left_out });
    };
    const began = () => (followed.value = { ...followed.value, busy: false, refused: undefined });
    const follow = async () => {
      clearTimeout(timer);
      if (round || !updates.due()) return;
      const mine = (round = new AbortController());
      try {
        await readStream(address, mine.signal, { began, take });
      } catch (e) {
        if (!mine.signal.aborted) followed.value = { ...followed.value, busy: false, refused: e instanceof Refusal && e.status !== 401 ? e : undefined };
      }
      if (round !== mine) return;
      round = undefined;
      gap = "gap";
      timer = window.setTimeout(follow, 2000);
    };
    const heed = () => {
      if (updates.due()) return void follow();
      clearTimeout(timer);
      if (round) gap = "gap";
      round?.abort();
      round = undefined;
      followed.value = { ...followed.value, busy: false, last: undefined };
    };
    heed();
    document.addEventListener("visibilitychange", heed);
    const unpaused = updates.paused.subscribe(heed);
    const back = reconnected.subscribe(heed);
    return () => {
      document.removeEventListener("visibilitychange", heed);
      unpaused();
      back();
      clearTimeout(timer);
      round?.abort();
      round = undefined;
    };
  }, [address]);
  return [followed, () => (followed.value = { ...followed.value, ...nothing })];
}
