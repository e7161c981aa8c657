import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request, restPath } from "./rest";
import { withQuery, type Query } from "./route";
import { count, say } from "./say";
import { visible } from "./visible";

/** How many plans fit all filters but one. */
interface Found {
  name: string;
  total: number;
}

/**
 * How many plans an empty list would have without one of its filters, for each of them. The most
 * come first, because that is the filter that excludes most.
 */
export function Without({ query }: { query: Query }) {
  const found = useSignal<Found[]>([]);
  useEffect(() => {
    found.value = [];
    const round = new AbortController();
    countWithout(query, round.signal).then((all) => (found.value = all), () => {});
    return () => round.abort();
  }, [JSON.stringify(query)]);
  if (found.value.length === 0) return null;
  return (
    <ul>
      {found.value.map(({ name, total }) => (
        <li key={name}>
          <a href={withQuery({ [name]: undefined, cursor: undefined })}>{say.value.withoutFilter(`${name}=${visible([query[name]].flat().join(","))}`)}</a>: {count(total)}
        </li>
      ))}
    </ul>
  );
}

/** Asks for one count after the other, because each may be a search of all plans. */
async function countWithout(query: Query, signal: AbortSignal): Promise<Found[]> {
  const all: Found[] = [];
  for (const name of Object.keys(query)) {
    const address = restPath(["plans"], { ...query, [name]: undefined, fields: "brief", total: "true", limit: "1" });
    const { value } = await request<{ total: number }>("GET", address, undefined, { signal });
    if (value.total > 0) all.push({ name, total: value.total });
  }
  return all.sort((a, b) => b.total - a.total);
}
