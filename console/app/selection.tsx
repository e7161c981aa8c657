import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog";
import { problemText } from "./hint";
import type { JsonObject } from "./json";
import { allThatMatch, countMatching, oneByOne, type Asked, type Chosen, type ManyVerb, type Progress } from "./many";
import { PlanLink } from "./name";
import { useResource } from "./resource";
import { Refusal, restPath } from "./rest";
import { place, type Query } from "./route";
import { announce, count, say } from "./say";
import { useShortcut } from "./shortcuts";
import { Table } from "./table";
import { takes, verbs } from "./verbs";
import { visible } from "./visible";

/** The rows that are chosen on a page of a list. */
export interface Selection {
  names: ReadonlySet<string>;
  has: (name: string) => boolean;
  /** Chooses a row, or takes it back; with range also all between it and the row before. */
  choose: (name: string, on: boolean, range: boolean) => void;
  choosePage: (on: boolean) => void;
}

const none: ReadonlySet<string> = new Set();

/** The rows that are chosen of those with these names; another address has none. */
export function useSelection(names: string[], there: boolean): Selection {
  const at = place.value.search;
  const [chosen, set] = useState({ at, names: none });
  const last = useRef("");
  const stillThere = (c: typeof chosen) => (c.at === at ? new Set([...c.names].filter((n) => names.includes(n))) : none);
  const now = stillThere(chosen);
  const choose = (name: string, on: boolean, range: boolean) => {
    const [a, b] = [names.indexOf(last.current), names.indexOf(name)].sort((x, y) => x - y);
    last.current = name;
    set((before) => { // keys may come faster than the page is drawn
      const next = new Set(stillThere(before));
      for (const one of range && a >= 0 ? names.slice(a, b + 1) : [name]) on ? next.add(one) : next.delete(one);
      return { at, names: next };
    });
  };
  useShortcut("x", () => {
    const name = document.activeElement?.closest<HTMLElement>("tr[data-name]")?.dataset.name;
    if (there && name !== undefined) choose(name, !now.has(name), false);
  });
  return { names: now, has: (n) => now.has(n), choose, choosePage: (on) => set({ at, names: on ? new Set(names) : none }) };
}

/** The box of a row; label, where its name is not for reading. */
export function SelectRow({ name, label = name, of }: { name: string; label?: string; of: Selection }) {
  return (
    <label class="select">
      <input type="checkbox" aria-label={say.value.many.select(visible(label))} checked={of.has(name)} onClick={(e) => of.choose(name, e.currentTarget.checked, e.shiftKey)} />
    </label>
  );
}

/** The box of all rows of the page. */
export function SelectPage({ names, of }: { names: string[]; of: Selection }) {
  if (names.length === 0) return null;
  return (
    <label class="select-page">
      <input type="checkbox" checked={of.names.size === names.length} onChange={(e) => of.choosePage(e.currentTarget.checked)} />
      <span>{say.value.many.page}</span>
    </label>
  );
}

/** The verb under way for many plans, as long as it is shown. */
interface Work {
  verb: ManyVerb;
  progress: Progress;
  stop: () => void;
}

/** The number of plans that the list has for some parameters, if it is asked for. */
export function useTotal(query: Query, asked: boolean): number | undefined {
  const [total] = useResource<{ total?: number; total_complete?: boolean }>(asked ? restPath(["plans"], { ...query, fields: "brief", total: "true", limit: "1" }) : undefined, true, true);
  return total.value.data?.total_complete === false ? undefined : total.value.data?.total;
}

/** The chosen plans, their verbs, and the progress of one. */
export function SelectionBar({ chosen, of, filter, total, can, after }: {
  chosen: Chosen[];
  of: Selection;
  /** The filter of the list, as a bulk takes it. */
  filter: JsonObject;
  /** How many match, where the list knows; "ask": the server is asked when all are wanted, because rows are runs. */
  total: number | undefined | "ask";
  /** The verbs that the page has. */
  can: readonly ManyVerb[];
  after: () => void;
}) {
  const m = say.value;
  const at = place.value.search;
  const [all, chooseAll] = useState<{ at: string; n: number }>();
  const [asking, ask] = useState<ManyVerb>();
  const [work, setWork] = useState<Work>();
  const gone = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    const control = (gone.current = new AbortController());
    return () => control.abort();
  }, []);
  const some = of.names.size > 0;
  const allOf = some && all?.at === at ? all.n : undefined;
  const n = allOf ?? chosen.length;
  if (!some && !work) return null;

  const begin = async (asked: Asked) => {
    const own = new AbortController();
    gone.current!.signal.addEventListener("abort", () => own.abort());
    const show = (progress: Progress) => {
      setWork((before) => ({ verb: asked.verb, stop: () => own.abort(), ...before, progress }));
      if (progress.ended) finish(progress);
    };
    const finish = (p: Progress) => {
      announce(p.error ? visible(p.error.message) : m.many.ended(nameOf(asked.verb), count(p.done), count(p.refused), count(p.left)));
      of.choosePage(false);
      chooseAll(undefined);
      after();
    };
    setWork(undefined);
    if (allOf === undefined) {
      void oneByOne(asked, chosen, show, own.signal).catch((e) => announce(problemText(e)));
      return;
    }
    // A refusal of the order itself is shown in the dialog, which waits for it.
    await new Promise<void>((begun, refuse) => {
      const first = (stop: () => void, progress: Progress) => {
        setWork({ verb: asked.verb, progress, stop });
        begun();
        if (progress.ended) finish(progress);
      };
      allThatMatch(asked, filter, allOf, first, show, gone.current!.signal).catch((e) => (refuse(e), announce(problemText(e))));
    });
  };
  const there = can.filter((v) => v === "cancel" || allOf !== undefined || chosen.some(({ state }) => !state || takes(state, v)));
  const countAll = () => void countMatching(filter, gone.current!.signal).then((n) => chooseAll({ at, n }), (e) => announce(problemText(e)));
  const said = () => {
    if (total !== "ask") return allOf === undefined ? m.many.chosen(count(n)) : m.many.allChosen(count(n));
    return allOf === undefined ? m.many.chosenRuns(count(of.names.size), n, count(n)) : m.many.allOfRuns(n, count(n));
  };
  const idle = !work || work.progress.ended !== undefined;
  return (
    <section class="selection" aria-label={m.many.region}>
      {some && idle && (
        <div class="actions">
          <strong>{said()}</strong>
          {allOf === undefined && total === "ask" && <button type="button" class="link" onClick={countAll}>{m.many.allRuns}</button>}
          {allOf === undefined && total !== "ask" && total !== undefined && total > chosen.length && (
            <button type="button" class="link" onClick={() => chooseAll({ at, n: total })}>{m.many.all(count(total))}</button>
          )}
          {there.map((v) => (
            <button key={v} type="button" class={v === "remove" ? "danger" : undefined} onClick={() => ask(v)}>{nameOf(v)}</button>
          ))}
          <button type="button" onClick={() => (of.choosePage(false), chooseAll(undefined))}>{m.many.none}</button>
        </div>
      )}
      {work && <HowFar work={work} close={() => setWork(undefined)} />}
      {asking && <ManyDialog verb={asking} n={n} close={() => ask(undefined)} begin={begin} />}
    </section>
  );
}

/** All verbs for many plans. */
export const manyVerbs: readonly ManyVerb[] = [...verbs, "cancel"];

const nameOf = (verb: ManyVerb) => (verb === "cancel" ? say.value.many.cancel.name : say.value.verbs[verb].name);

/** Asks for the fields of a verb; a removal for the number, too, because it cannot be undone. */
function ManyDialog({ verb, n, begin, close }: { verb: ManyVerb; n: number; begin: (asked: Asked) => Promise<void>; close: () => void }) {
  const m = say.value;
  const act = async (form: FormData) => {
    if (verb === "remove" && String(form.get("number")).replace(/\D/g, "") !== String(n)) throw new Refusal(0, "", m.many.otherNumber(count(n)), []);
    const note = String(form.get("note") ?? "");
    await begin({ verb, ...(note && { note }), ...(form.has("count") && { count: Number(form.get("count")) }) });
  };
  return (
    <Dialog title={verb === "cancel" ? m.many.cancel.of(n, count(n)) : m.many.title(nameOf(verb), n, count(n))} verb={nameOf(verb)} act={act} close={close} danger={verb === "remove"}>
      <p>{verb === "cancel" ? m.many.cancel.about : m.verbs[verb].about}</p>
      {verb === "skip" && (
        <label>
          <span>{m.howManySkips}</span>
          <input name="count" type="number" min="-1" step="1" defaultValue="1" required />
        </label>
      )}
      {verb === "remove" && (
        <label>
          <span>{m.many.number(count(n))}</span>
          <input name="number" inputMode="numeric" autocomplete="off" required />
        </label>
      )}
      <label>
        <span>{m.note}</span>
        <input name="note" maxLength={512} autocomplete="off" />
      </label>
    </Dialog>
  );
}

/** How far it is, with a button that stops it, and who refused. */
function HowFar({ work: { verb, progress: p, stop }, close }: { work: Work; close: () => void }) {
  const m = say.value;
  const text = m.many.progress(nameOf(verb), count(p.done + p.refused), count(p.matched));
  return (
    <div class="how-far">
      <div class="actions">
        <progress aria-label={nameOf(verb)} max={Math.max(p.matched, 1)} value={p.matched ? p.done + p.refused : p.ended ? 1 : 0} />
        <span>{p.ended ? m.many.ended(nameOf(verb), count(p.done), count(p.refused), count(p.left)) : text}</span>
        {p.ended ? <button type="button" onClick={close}>{m.many.close}</button> : <button type="button" onClick={stop}>{m.many.stop}</button>}
      </div>
      {p.ended && p.error && <p class="alert">{visible(p.error.message)}</p>}
      {p.refusals.length > 0 && (
        <Table listed name={m.many.refusals} columns={m.many.columns}>
          {p.refusals.map(({ station = "", plan_id = "", error }) => (
            <tr key={`${station}/${plan_id}`}><td><PlanLink station={station} id={plan_id} /></td><td>{visible(error.message)}</td></tr>
          ))}
        </Table>
      )}
      {p.left_out > 0 && <p>{m.many.leftOut(count(p.left_out))}</p>}
    </div>
  );
}
