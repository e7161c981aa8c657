import { computed, signal } from "@preact/signals";

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The prefix of all paths, without a slash at its end. */
export const base = meta("base");

/** The session as the document has it, as JSON; empty: there is none. */
export const documentSession = meta("session");

/** The address of the page, as the browser shows it. */
export const place = signal(new URL(location.href));

/** The names of the page's path behind /ui/, decoded. */
export const names = computed(() =>
  place.value.pathname.slice((base + "/ui/").length).split("/").filter(Boolean).map(decoded),
);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // it is not percent-encoded UTF-8: no page has that name
  }
}

/** Parameters of an address; empty ones are left out. */
export type Query = Record<string, string | string[] | undefined>;

/** An address below the base path: names are encoded, parameters without a value are left out. */
export function addressOf(prefix: string, path: string[], query: Query): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) q.append(name, one);
  }
  const search = q.toString();
  return `${base}${prefix}${path.map(encodeURIComponent).join("/")}${search && "?" + search}`;
}

/** The address of a page. */
export const pageOf = (path: string[], query: Query = {}) => addressOf("/ui/", path, query);

/** Whether a path is one of the help, whose pages are documents of their own. */
export const isHelp = (path: string) => path === `${base}/ui/help` || path.startsWith(`${base}/ui/help/`);

/** The address of a plan's page. */
export const planPage = (station: string, id: string, query?: Query) => pageOf(["plans", station, id], query);

/** The address of the page of a plan's run. */
export const runPage = (station: string, id: string, n: number) => pageOf(["plans", station, id, "runs", String(n)]);

/** The present page with some parameters changed; an undefined one is taken away. */
export function withQuery(change: Query): string {
  const url = new URL(place.value);
  for (const [name, value] of Object.entries(change)) {
    url.searchParams.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) url.searchParams.append(name, one);
  }
  return url.pathname + url.search;
}

/** A parameter of the present page; empty when it is not there. */
export const param = (name: string) => place.value.searchParams.get(name) ?? "";

/** Counts the pages that were opened; a page that is opened gets the focus. */
export const opened = signal(0);

/** Opens a page of the console. A filter replaces the list, without moving the focus. */
export function open(address: string, how: "page" | "filter" | "replace" = "page") {
  const url = new URL(address, location.href);
  if (url.href === place.value.href) return;
  if (how === "replace") history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  place.value = url;
  if (how === "page") {
    opened.value++;
    scrollTo(0, 0);
  }
}

/** Takes clicks on links of the console, and the browser's Back and Forward. */
export function followLinks() {
  addEventListener("popstate", () => {
    const before = place.value.pathname;
    place.value = new URL(location.href);
    if (before !== place.value.pathname) opened.value++;
  });
  addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const link = (e.target as Element).closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base + "/ui/") || isHelp(link.pathname) || link.getAttribute("href")!.startsWith("#")) return;
    e.preventDefault();
    open(link.href);
  });
}
