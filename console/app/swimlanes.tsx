import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Api } from "./rest";
import { lang, tz } from "./prefs";
import { place, planPage, runPage } from "./route";
import { count, say } from "./say";
import { shadeOf } from "./shade";
import { wordOf } from "./state";
import { duration, localOf, shownZone, took } from "./time";
import { visible } from "./visible";

type Lines = Api["Timeline"];
type Bar = NonNullable<Lines["lanes"][number]["bars"]>[number];

/** The heights of a lane's parts, in pixels; the style sheet has the same. */
const [level, rim, caption] = [24, 6, 20];

/** How many runs that go on at a time lie below each other; more share the last level. */
const levels = 12;

/** A lane as it is laid out. */
interface Row {
  lane: string;
  top: number;
  height: number;
  draw: () => JSX.Element;
}

/** How far beyond the lanes in sight others are drawn, too, in pixels. */
const around = 120;

/**
 * The lanes, of which only those in sight or near are drawn. A lane that was drawn stays as it is
 * until there are other data, so that scrolling costs no more than the lanes that come into sight.
 */
export function Swimlanes({ of, field }: { of: Lines; field: (from: number, lane: string) => string }) {
  const m = say.value;
  const region = useRef<HTMLDivElement>(null);
  const held = useRef("");
  const [at, setAt] = useState({ top: 0, height: 600, narrow: matchMedia("(max-width: 40rem)").matches });
  const [rows, drawn] = useMemo(
    () => [layOut(of, field, at.narrow ? caption : 0), new Map<string, JSX.Element>()] as const,
    [of, at.narrow, lang.now.value, tz.now.value, place.value.search],
  );
  const measure = () => {
    const box = region.current!;
    const seen = { top: box.scrollTop, height: box.clientHeight, narrow: matchMedia("(max-width: 40rem)").matches };
    if (Math.abs(seen.top - at.top) > level || seen.height !== at.height || seen.narrow !== at.narrow) setAt(seen);
  };
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  });
  const shown = rows.filter((r) => r.lane === held.current || (r.top + r.height > at.top - around && r.top < at.top + at.height + around));
  const last = rows.at(-1);
  return (
    <div
      class="scroll swimlanes" ref={region} role="region" aria-label={m.timeline.picture} tabIndex={0} onScroll={measure} onKeyDown={move}
      onPointerOver={hint}
      onFocusIn={(e) => (held.current = (e.target as HTMLElement).closest<HTMLElement>(".lane")?.dataset.lane ?? "")}
    >
      <Axis from={Date.parse(of.from)} until={Date.parse(of.until)} narrow={at.narrow} />
      <div class="lanes" style={{ height: `${last ? last.top + last.height : 0}px` }}>
        {shown.map((r) => {
          const known = drawn.get(r.lane) ?? r.draw();
          drawn.set(r.lane, known);
          return known;
        })}
      </div>
    </div>
  );
}

/** The name of a lane as the reader sees it. */
export function nameOf(lane: string): string {
  const m = say.value.timeline;
  return lane === "" ? m.nobody : lane === "*" ? m.others : visible(lane);
}

/** What a lane is called: of an HTTP job, its name. */
function titleOf({ lane, bars }: Lines["lanes"][number]): string {
  const known = lane === `${bars?.[0]?.station}/${bars?.[0]?.plan_id}` && bars![0].known_as;
  return known ? visible(known) : nameOf(lane);
}

function layOut(of: Lines, field: (from: number, lane: string) => string, head: number): Row[] {
  const [from, until] = [Date.parse(of.from), Date.parse(of.until)];
  const share = (at: number) => (100 * (Math.min(Math.max(at, from), until) - from)) / (until - from);
  const most = Math.max(1, ...of.lanes.flatMap((lane) => (lane.buckets ?? []).map((b) => b.count)));
  let top = 0;
  return of.lanes.map((lane) => {
    const [bars, deep] = lane.bars ? stack(lane.bars, until, (until - from) / 300) : [[], 1];
    const row = { lane: lane.lane, top, height: head + deep * level + rim };
    top += row.height;
    const draw = () => (
      <div key={lane.lane} class="lane" data-lane={lane.lane} style={{ top: `${row.top}px`, height: `${row.height}px` }}>
        <span class="lane-name" title={nameOf(lane.lane)}>{titleOf(lane)}</span>
        <div class="track">
          {bars.map(({ bar, at }) => <Piece key={`${bar.n ?? ""} ${bar.due}`} of={bar} at={at} share={share} until={until} />)}
          {(lane.buckets ?? []).map((b, i) => b.count > 0 && (
            <Field
              key={i} of={b} lane={lane.lane} most={most} href={field(from + i * of.step_ms!, lane.lane)}
              left={share(from + i * of.step_ms!)} right={share(from + (i + 1) * of.step_ms!)}
            />
          ))}
        </div>
      </div>
    );
    return { ...row, draw };
  });
}

/** When the drawing of a run begins: when it was due, as far as that is known. */
const first = (b: Bar) => Date.parse((b.attempt ?? 0) > 1 && b.start ? b.start : (b.state === "skipped" && !b.start ? b.end : b.due) ?? b.start ?? b.end ?? "");

/** Puts each run on the first level where none is at its time; one takes some room, however short it was. */
function stack(bars: Bar[], until: number, least: number): [{ bar: Bar; at: number }[], number] {
  const ends: number[] = [];
  const placed = bars.map((bar) => {
    const begin = Math.min(first(bar), Date.parse(bar.start ?? bar.end ?? "") || Infinity);
    let at = ends.findIndex((end) => end <= begin);
    if (at < 0) at = Math.min(ends.length, levels - 1);
    ends[at] = Math.max(ends[at] ?? 0, (bar.end ? Date.parse(bar.end) : until) + least, begin + least);
    return { bar, at };
  });
  return [placed, Math.max(1, ends.length)];
}

/** Whether no worker had the run, as far as that is known. */
const waited = (b: Bar) => (b.state !== "skipped" && !b.start) || b.reason === "start" || b.reason === "worker" || (!b.end && b.state === "dispatched");

/** A run: a line from when it was due, and a bar from its dispatch to its end. */
function Piece({ of: b, at, share, until }: { of: Bar; at: number; share: (at: number) => number; until: number }) {
  const m = say.value.timeline;
  const end = b.end ? Date.parse(b.end) : until;
  const start = b.start ? Date.parse(b.start) : first(b);
  const due = Math.min(first(b), start);
  const name = visible(`${b.station}/${b.plan_id}`);
  const told = [
    `${name}${b.n ? ` ${say.value.run(b.n)}` : ""}: ${wordOf(b.state)}${b.reason ? ` ${visible(b.reason)}` : ""}`, clock(start), took(b.start, b.end),
    (b.attempt ?? 0) > 1 && m.attempt(String(b.attempt)), b.start && start - due >= 1000 && m.due(duration(start - due)),
  ].filter(Boolean).join(", ");
  const kind = `piece ${b.state}${waited(b) ? " hatched" : ""}${(b.attempt ?? 0) > 1 ? " tick" : ""}${b.state === "timeout" ? " edge" : ""}${b.end ? "" : " open"}`;
  const [left, right, hair] = [share(start), share(end), share(due)];
  const top = `${at * level}px`;
  return (
    <>
      {b.start && hair < left && <i class="hair" style={{ left: `${hair}%`, width: `${left - hair}%`, top }} />}
      <a
        class={kind} style={{ left: `${left}%`, width: `${right - left}%`, top }} tabIndex={-1} aria-label={told}
        href={b.n ? runPage(b.station, b.plan_id, b.n) : planPage(b.station, b.plan_id)}
      />
    </>
  );
}

const clock = (at: number) => localOf(at, shownZone()).time;

/** Runs that are counted: the more, the darker. */
function Field({ of, lane, most, href, left, right }: { of: { count: number; bad: number }; lane: string; most: number; href: string; left: number; right: number }) {
  const told = say.value.timeline.field(nameOf(lane), count(of.count), count(of.bad));
  return <a class={`field shade-${shadeOf(of.count, most)}${of.bad > 0 ? " bad" : ""}`} style={{ left: `${left}%`, width: `${right - left}%` }} tabIndex={-1} href={href} aria-label={told} />;
}

const minute = 60e3;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((n) => n * minute);

/** The clock above the lanes. */
function Axis({ from, until, narrow }: { from: number; until: number; narrow: boolean }) {
  const step = steps.find((s) => (until - from) / s <= (narrow ? 4 : 10)) ?? 720 * minute;
  const offset = Date.parse(`${localOf(from, shownZone()).date}T${localOf(from, shownZone()).time}Z`) - Math.floor(from / 1000) * 1000;
  const marks = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at < until; at += step) marks.push(at);
  return (
    <div class="axis" aria-hidden="true">
      <div class="track">
        {marks.map((at) => <span key={at} style={{ left: `${(100 * (at - from)) / (until - from)}%` }}>{clock(at).slice(0, step < minute ? 8 : 5)}</span>)}
      </div>
    </div>
  );
}

const links = "a.piece, a.field";

/** Shows the name of a link below the pointer. None has it before, because it would cost each twice. */
function hint(e: PointerEvent) {
  const link = (e.target as Element).closest<HTMLElement>(links);
  if (link && !link.title) link.title = link.ariaLabel ?? "";
}

/** Has Tab stop at one link alone: the one that has the focus, or the first in sight. */
function setStop(region: HTMLElement) {
  if (!region.isConnected) return;
  const all = [...region.querySelectorAll<HTMLElement>(links)];
  const top = region.getBoundingClientRect().top;
  const stop = all.find((a) => a === document.activeElement) ?? all.find((a) => a.getBoundingClientRect().top >= top) ?? all[0];
  for (const a of region.querySelectorAll<HTMLElement>("a[tabindex='0']")) if (a !== stop) a.tabIndex = -1;
  if (stop) stop.tabIndex = 0;
}

/** Arrow keys go from link to link: along a lane, and to the nearest of the next one. */
function move(e: KeyboardEvent) {
  if (e.key === "Tab" && e.target === e.currentTarget) setStop(e.currentTarget as HTMLElement); // not before, because it reads places
  const link = (e.target as Element).closest<HTMLElement>(links);
  if (!link || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  const lane = link.closest<HTMLElement>(".lane")!;
  const lanes = [...lane.parentElement!.children].filter((l) => l.querySelector(links)).sort((a, b) => (a as HTMLElement).offsetTop - (b as HTMLElement).offsetTop);
  const along = [...lane.querySelectorAll<HTMLElement>(links)];
  let next: HTMLElement | undefined;
  switch (e.key) {
    case "ArrowLeft":
    case "ArrowRight":
      next = along[along.indexOf(link) + (e.key === "ArrowLeft" ? -1 : 1)];
      break;
    case "ArrowUp":
    case "ArrowDown":
      next = nearest(lanes[lanes.indexOf(lane) + (e.key === "ArrowUp" ? -1 : 1)], link.offsetLeft);
      break;
    default:
      return;
  }
  e.preventDefault();
  next?.focus();
  setStop(lane.closest<HTMLElement>(".swimlanes")!);
}

function nearest(lane: Element | undefined, left: number): HTMLElement | undefined {
  const all = [...(lane?.querySelectorAll<HTMLElement>(links) ?? [])];
  return all.sort((a, b) => Math.abs(a.offsetLeft - left) - Math.abs(b.offsetLeft - left))[0];
}
