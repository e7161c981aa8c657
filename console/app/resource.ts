import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { reconnected, Refusal, request, restPath } from "./rest";
import type { Query } from "./route";
import { updates } from "./updates";

/** The newest answer of the server to a page. */
export interface Resource<T> {
  /** The newest answer; undefined before the first. */
  data?: T;
  etag?: string | null;
  /** The refusal, when the newest answer is one. */
  refused?: Refusal;
  /** Whether the first answer, or the one to another address, is still to come. */
  busy: boolean;
}

/** How many milliseconds a server searches for the first answer, so that something can be seen at once. */
const soon = "100";

/**
 * How long a page rests before it asks again, in milliseconds: longer where the answer took long,
 * because a search of many plans takes a leader's time. A change is seen within ten seconds.
 */
const rest = (took: number) => Math.min(Math.max(4000, 5 * took), 7500);

/**
 * Asks for address, and again every few seconds while the page can be seen and updates are not
 * paused. An undefined address asks for nothing. With keep the answer to the address before stays
 * until the next one is there; with still it is asked for once. The second value asks at once.
 */
export function useResource<T>(address: string | undefined, keep = false, still = false): [Signal<Resource<T>>, () => void] {
  const resource = useSignal<Resource<T>>({ busy: address !== undefined });
  const asked = useSignal(0);
  useEffect(() => {
    if (address === undefined) return;
    resource.value = { ...(keep ? resource.value : {}), busy: true };
    const round = new AbortController();
    let timer = 0;
    const ask = async () => {
      clearTimeout(timer);
      const begun = performance.now();
      try {
        const { value, etag } = await request<T>("GET", address, undefined, { signal: round.signal });
        resource.value = { data: value, etag, busy: false };
      } catch (e) {
        if (round.signal.aborted) return;
        // Without a session the page stays as it is, with a note above it that the session ended.
        if (e instanceof Refusal && e.status === 401) resource.value = { ...resource.value, busy: false };
        else if (e instanceof Refusal) resource.value = { data: e.status === 404 ? undefined : resource.value.data, refused: e, busy: false };
      }
      clearTimeout(timer); // of one that was asked beside this
      if (!still || !resource.peek().data) timer = window.setTimeout(again, rest(performance.now() - begun));
    };
    const again = () => (updates.due() ? void ask() : (timer = window.setTimeout(again, 1000)));
    const seen = () => document.visibilityState === "visible" && !still && again();
    let first = true; // the value that is there
    const unsubscribe = reconnected.subscribe(() => (first ? (first = false) : void ask()));
    void ask();
    document.addEventListener("visibilitychange", seen);
    return () => {
      unsubscribe();
      round.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [address, asked.value]);
  return [resource, () => asked.value++];
}

/**
 * Is useResource, with keep, where a search takes the server long: it asks for an answer soon, and then
 * for the whole one if isPart says that this was a part.
 */
export function useSoonThenAll<T>(path: string[], query: Query, isPart: (answer: T) => boolean, still: boolean): ReturnType<typeof useResource<T>> {
  const all = restPath(path, query);
  const [wanted, setWanted] = useState("");
  const [resource, again] = useResource<T>(wanted === all ? all : restPath(path, { ...query, within_ms: soon }), true, still);
  const { data, busy } = resource.value;
  useLayoutEffect(() => {
    if (data && !busy && isPart(data)) setWanted(all);
  }, [data]);
  return [resource, again];
}
