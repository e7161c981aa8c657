import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { param, place, withQuery } from "./route";
import { count, say } from "./say";

/** A table with a caption and headers, which scrolls in itself where the page is narrow. */
export function Table({ name, columns, children, busy, empty, listed, kind, figures }: {
  name: string;
  /** Its rows are named by long names. */
  listed?: boolean;
  /** How wide its columns are. */
  kind?: "runs" | "stations" | "queues" | "tasks";
  columns: string[];
  /** From which column on there are numbers alone, counted from 1. */
  figures?: 2 | 3;
  children: ComponentChildren;
  busy?: boolean;
  empty?: ComponentChildren;
}) {
  return (
    <>
      <div class={`scroll${listed ? " listed" : ""}${kind ? ` ${kind}` : ""}${figures ? ` figures-${figures}` : ""}`} role="region" aria-label={name} tabIndex={0} aria-busy={busy ? "true" : undefined}>
        <table aria-label={name}>
          <thead>
            <tr>{columns.map((c) => <th key={c} scope="col">{c}</th>)}</tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      {!busy && empty}
    </>
  );
}

/** Links to the pages of a list before and behind the present one. */
export function Paging({ next }: { next?: string }) {
  const m = say.value;
  const before = param("before");
  const cursor = param("cursor");
  if (!next && !cursor) return null;
  // A list is read forward only. The cursors before are in the address, so that a link to a
  // page leads back, too.
  const earlier = before ? before.split("~") : [];
  return (
    <nav class="paging" aria-label={m.paging}>
      {cursor && (
        <a href={withQuery({ cursor: earlier.at(-1), before: earlier.slice(0, -1).join("~") })}>{m.previousPage}</a>
      )}
      {next && <a href={withQuery({ cursor: next, before: cursor ? [...earlier, cursor].join("~") : undefined })}>{m.nextPage}</a>}
    </nav>
  );
}

/** How far a search came that took too long, and the way on. */
export function Searched({ page, says }: { page: { next?: string; looked_at?: number; complete?: boolean }; says: (n: string) => string }) {
  if (page.complete !== false || !page.next) return null;
  const before = [param("before"), param("cursor")].filter(Boolean).join("~");
  return (
    <p class="searched">
      {says(count(page.looked_at ?? 0))} <a href={withQuery({ cursor: page.next, before: before || undefined })}>{say.value.goOn}</a>
    </p>
  );
}

/** What a list showed: its rows, and the list that the address before has left until the answer is there. */
interface Steady<T> {
  at: string;
  keys: string[];
  list?: T[];
  left?: T[];
}

/**
 * A list that does not move while the pointer or the focus is in it: rows that are
 * there change, and how many others there are is counted. The last value takes them in.
 */
function useSteady<T>(list: T[], keyOf: (one: T) => string, name: string): [T[], number, () => void] {
  const before = useRef<Steady<T>>({ at: "", keys: [] });
  const at = place.value.href;
  const keys = list.map(keyOf);
  const region = document.querySelector(`[role=region][aria-label=${JSON.stringify(name)}]`);
  const { at: was, keys: rows, list: last, left } = before.current;
  // The first answer to another address is taken whole, also where the pointer is on the table.
  const held = was === at && last !== left && rows.length > 0 && !!region?.matches(":hover, :focus-within");
  if (!held) before.current = { at, keys, list, left: was === at ? left : list };
  const known = new Map(list.map((one) => [keyOf(one), one]));
  const shown = before.current.keys.flatMap((key) => known.get(key) ?? []);
  const fresh = keys.filter((key) => !before.current.keys.includes(key)).length;
  return [shown, fresh, () => (before.current = { at: "", keys: [] })];
}

/** A steady list, and the button that shows new rows. */
export function useCalm<T>(list: T[], keyOf: (one: T) => string, name: string) {
  const [shown, fresh, takeIn] = useSteady(list, keyOf, name);
  const [, draw] = useState(0);
  return [shown, <NewRows n={fresh} show={() => (takeIn(), draw((n) => n + 1))} />] as const;
}

/** How many rows are new, and a button that shows them. */
export function NewRows({ n, show }: { n: number; show: () => void }) {
  return n > 0 ? <button type="button" class="fresh" onClick={show}>{say.value.fresh(n)}</button> : null;
}
