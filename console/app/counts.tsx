import type { ComponentChildren } from "preact";
import { count, say } from "./say";

/** A number and the address of the list that it counts; undefined: there is none. */
export interface Counted {
  word: string;
  n: number;
  href?: string;
}

/** Counts by their words, the largest first. */
export const countsOf = (by: Record<string, number>, href: (word: string) => string | undefined): Counted[] =>
  Object.entries(by).map(([word, n]) => ({ word, n, href: href(word) })).sort((a, b) => b.n - a.n || (a.word < b.word ? -1 : 1));

/** Numbers under a heading, each a link to the list that it counts. */
export function Counts({ title, total, of, show }: {
  title: string;
  total?: ComponentChildren;
  of: Counted[];
  show: (word: string) => ComponentChildren;
}) {
  return (
    <section class="tile">
      <h2>{title}</h2>
      {total !== undefined && <p class="total">{total}</p>}
      {of.length === 0 && total === undefined && <p class="about">{say.value.overview.none}</p>}
      <ul>
        {of.map(({ word, n, href }) => (
          <li key={word}><a href={href}>{show(word)} <b>{count(n)}</b></a></li>
        ))}
      </ul>
    </section>
  );
}
