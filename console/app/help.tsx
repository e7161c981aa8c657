import { useEffect, useRef } from "preact/hooks";
import { base, pageOf, place } from "./route";
import { say } from "./say";
import { Page } from "./shell";

/** The page of the docs that the document came with: the server has made it. */
const article = document.getElementById("article");
const title = document.querySelector("h1")?.textContent ?? "";
const at = location.pathname;

// The shell stands in its place.
article?.remove();
document.querySelector("main")?.remove();

/** Whether the document at the present address came without a page of the docs, because there is none. */
export const noHelp = () => !article && place.value.pathname === at;

/** A page of the docs. */
export function Help() {
  const m = say.value;
  const within = useRef<HTMLDivElement>(null);
  const here = place.value.pathname === at;
  const first = at.replace(/\/$/, "") === `${base}/ui/help`;
  useEffect(() => {
    if (!here) return location.reload();
    within.current!.append(article!);
    if (place.value.hash) document.getElementById(decodeURIComponent(place.value.hash.slice(1)))?.scrollIntoView();
  }, [here]);
  return (
    <Page title={first ? m.pages.help : title} busy={!here}>
      {!first && <p class="crumbs"><a href={pageOf(["help"])}>{m.pages.help}</a></p>}
      <div ref={within} />
    </Page>
  );
}
