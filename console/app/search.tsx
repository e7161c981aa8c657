import Combobox from "@github/combobox-nav";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Refusal, request, restPath, type Api } from "./rest";
import { Dialog } from "./dialog";
import { problemText } from "./hint";
import { open, planPage, runPage, type Query } from "./route";
import { count, say } from "./say";
import { visible } from "./visible";

const shown = signal(false);

/** Opens the search. */
export const openSearch = () => void (shown.value = true);

/** A plan that was found, or a run of it. */
interface Found {
  station: string;
  id: string;
  n?: number;
  about: string;
}

/** The search of plans by name, and of runs by their ids. */
export function Search() {
  const m = say.value;
  if (!shown.value) return null;
  const close = () => (shown.value = false);
  return (
    <Dialog title={m.search} close={close}>
      <Finder close={close} />
    </Dialog>
  );
}

function Finder({ close }: { close: () => void }) {
  const m = say.value;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found[]>([]);
  const answered = useRef(""); // the text that found is of
  const [note, setNote] = useState("");
  const [far, setFar] = useState(""); // how far a search of texts came
  const box = useRef<Combobox>(undefined);
  const look = useRef<AbortController>(undefined);
  useEffect(() => () => look.current?.abort(), []);

  useEffect(() => {
    const b = new Combobox(input.current!, list.current!, { firstOptionSelectionMode: "active" });
    b.start();
    box.current = b;
    return () => b.destroy();
  }, []);
  // Before the list is painted, because Enter right behind that would find no option selected.
  useLayoutEffect(() => box.current?.resetSelection(), [found]);
  useEffect(() => {
    const round = new AbortController();
    const take = (all: Found[]) => {
      if (look.current && !look.current.signal.aborted) return; // a search of this text in more than names has begun
      answered.current = text.trim();
      setFound(all);
      setNote(all.length || !text.trim() ? "" : m.nothingFound);
    };
    const timer = setTimeout(() => void find(text.trim(), round.signal).then(take, () => {}), 120);
    return () => (clearTimeout(timer), round.abort());
  }, [text]);

  const go = (f: Found) => (close(), open(f.n === undefined ? planPage(f.station, f.id) : runPage(f.station, f.id, f.n)));
  /** Opens what the text names, without waiting for the list, which may still be that of an earlier text. */
  const goAtOnce = async (asked: string) => {
    look.current?.abort();
    const { signal } = (look.current = new AbortController());
    try {
      const [first] = await find(asked, signal);
      if (signal.aborted) return;
      if (first) go(first);
      else void everywhere();
    } catch (e) {
      if (!signal.aborted) setNote(problemText(e));
    }
  };
  const everywhere = async () => {
    look.current?.abort();
    const { signal } = (look.current = new AbortController());
    const ask = <T,>(path: string[], query: Query) => request<T>("GET", restPath(path, query), undefined, { signal }).then((a) => a.value);
    let page: Page | undefined, looked = 0, all: string | undefined;
    try {
      do {
        page = await ask<Page>(["plans"], { text: text.trim(), fields: "brief", limit: "20", cursor: page?.next });
        if (page.plans.length === 0 && page.next) {
          all ??= count((await ask<Api["Overview"]>(["overview"], {})).plans.total);
          setFar(m.searching(count((looked += page.looked_at ?? 0)), all));
        }
      } while (page.plans.length === 0 && page.next);
    } catch (e) {
      if (!signal.aborted) setNote(problemText(e));
      return;
    }
    setFar("");
    setFound(page.plans.map(foundOf));
    setNote(page.plans.length ? "" : m.searched);
  };
  return (
    <div class="finder">
      <input
        ref={input} type="text" role="combobox" aria-label={m.search} aria-controls="found" aria-expanded={found.length > 0} aria-autocomplete="list"
        autocomplete="off" spellcheck={false} placeholder="station/id" value={text} onInput={(e) => (look.current?.abort(), setFar(""), setText(e.currentTarget.value))}
        onKeyDown={(e) => {
          const asked = e.currentTarget.value.trim(), known = answered.current === asked;
          if (e.key !== "Enter" || e.isComposing || (known && found.length > 0)) return;
          e.preventDefault();
          e.stopImmediatePropagation();
          if (asked) void (known ? everywhere() : goAtOnce(asked));
        }}
      />
      <ul ref={list} id="found" role="listbox" aria-label={m.pages.plans}>
        {found.map((f, i) => (
          <li key={`${f.station}/${f.id}/${f.n}`} id={`found-${i}`} role="option" ref={onCommit(() => go(f))}>
            {f.n === undefined ? visible(`${f.station}/${f.id}`) : m.runTitle(visible(`${f.station}/${f.id}`), String(f.n))} <small>{visible(f.about)}</small>
          </li>
        ))}
      </ul>
      <p aria-live="polite">{note || (found.length ? m.found(count(found.length)) : m.searchHint)}</p>
      {far && <p class="about">{far}</p>}
      {text.trim() && <button type="button" onClick={() => void everywhere()}>{m.searchTexts}</button>}
    </div>
  );
}

/** Has an option do something when it is chosen, by Enter or by the pointer. */
const onCommit = (act: () => void) => (e: HTMLElement | null) => {
  if (!e) return;
  const listening = e as HTMLElement & { committed?: () => void };
  if (listening.committed) e.removeEventListener("combobox-commit", listening.committed);
  listening.committed = act;
  e.addEventListener("combobox-commit", act);
};

interface Page {
  plans: Api["PlanView"][];
  next?: string;
  looked_at?: number;
}

const foundOf = ({ plan, state }: Api["PlanView"]): Found => ({
  station: String(plan.station), id: String(plan.plan_id), about: plan.description ? `${state.status} · ${plan.description}` : state.status,
});

/** The plan of exactly that name, or the run of that id, then the plans whose names begin so. */
async function find(text: string, signal: AbortSignal): Promise<Found[]> {
  if (!text) return [];
  const [, task, n] = /^([^/]+)\.([1-9]\d*)$/.exec(text) ?? [];
  const [station, id, ...more] = text.split("/");
  const exact = station && id && more.length === 0
    ? request<Api["PlanView"]>("GET", restPath(["plans", station, id]), undefined, { signal }).then((a) => [foundOf(a.value)], none)
    : n ? request<Api["Run"]>("GET", restPath(["runs", text]), undefined, { signal })
      .then((a): Found[] => [{ station: "http", id: task, n: Number(n), about: a.value.status }], none)
    : Promise.resolve([]);
  const begin = request<Page>("GET", restPath(["plans"], { prefix: text, fields: "brief", limit: "10" }), undefined, { signal })
    .then((a) => a.value.plans.map(foundOf), none);
  const [one, others] = await Promise.all([exact, begin]);
  return [...one, ...others.filter((o) => !one.some((f) => f.n === undefined && f.station === o.station && f.id === o.id))];
}

/** A name without a plan is no failure of the search. */
function none(e: unknown): Found[] {
  if (e instanceof Refusal) return [];
  throw e;
}
