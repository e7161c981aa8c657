import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "./dialog";
import { keys } from "./prefs";
import { open, pageOf } from "./route";
import { say } from "./say";
import { openSearch } from "./search";
import { updates } from "./updates";

/** The keys of the present page, beside those that hold everywhere. */
const here = new Map<string, () => void>();

const helpShown = signal(false);

/** Has a key do something while the component is on the page. */
export function useShortcut(key: string, act: () => void) {
  useEffect(() => {
    here.set(key, act);
    return () => {
      if (here.get(key) === act) here.delete(key);
    };
  });
}

/** Where g and a letter lead. */
const places: Record<string, string[]> = { o: [], p: ["plans"], r: ["runs"], t: ["timeline"], c: ["calendar"], s: ["stations"], w: ["workers"], q: ["queues"], l: ["live"] };

let afterG = false;

/** Takes the keys of the page. None counts in a field, in a dialog, or with a modifier. */
export function followKeys() {
  addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "k") {
      e.preventDefault();
      return openSearch();
    }
    if (keys.now.value === "off" || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const at = e.target as Element;
    if (at.closest("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const act = actOf(e.key);
    afterG = e.key === "g" && !afterG;
    if (!act) return;
    e.preventDefault();
    act();
  });
}

function actOf(key: string): (() => void) | undefined {
  if (afterG) return places[key] && (() => open(pageOf(places[key])));
  switch (key) {
    case "/":
      return () => (document.querySelector<HTMLElement>("[data-find]") ?? document.querySelector<HTMLElement>("main input"))?.focus();
    case "?":
      return () => (helpShown.value = true);
    case ".":
      return updates.toggle;
    case "j":
      return () => moveRow(1);
    case "k":
      return () => moveRow(-1);
    default:
      return here.get(key);
  }
}

/** Focuses the link of the next row of a table, or of the one before. */
function moveRow(by: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody tr > td:first-child a")];
  const at = links.findIndex((l) => l.closest("tr")!.contains(document.activeElement));
  links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}

/** The list of the keys. */
export function ShortcutHelp() {
  const m = say.value;
  if (!helpShown.value) return null;
  return (
    <Dialog title={m.shortcuts.title} close={() => (helpShown.value = false)}>
      <dl class="keys">
        {m.shortcuts.list.map(([key, text]) => (
          <div key={key}><dt><kbd>{key}</kbd></dt><dd>{text}</dd></div>
        ))}
      </dl>
      <label class="line">
        <input type="checkbox" checked={keys.now.value === "on"} onChange={(e) => keys.choose(e.currentTarget.checked ? "on" : "off")} />
        <span>{m.shortcuts.use}</span>
      </label>
    </Dialog>
  );
}
