import type { Api } from "./rest";
import { lang } from "./prefs";
import { withQuery } from "./route";
import { count, say } from "./say";
import { shadeOf } from "./shade";
import { visible } from "./visible";
import { now } from "./updates";

type Due = Api["DueCalendar"];
type Piece = Due["cells"][number];

const hours = Array.from({ length: 24 }, (_, i) => String(i).padStart(2, "0"));

/** The counts as a table, the more of them the darker: a row a day, or of days a row a week. */
export function Heat({ of, chosen }: { of: Due; chosen: string }) {
  const m = say.value;
  const most = Math.max(0, ...of.cells.map((c) => c.count));
  const daily = of.step === "1d";
  const rows = new Map<string, Map<string, Piece[]>>();
  for (const cell of of.cells) {
    const day = cell.from.slice(0, 10);
    const row = daily ? mondayOf(day) : day;
    const column = daily ? String(weekdayOf(day)) : cell.from.slice(11, 13);
    const columns = rows.get(row) ?? rows.set(row, new Map()).get(row)!;
    columns.set(column, [...(columns.get(column) ?? []), cell]);
  }
  const columns = daily ? ["1", "2", "3", "4", "5", "6", "7"] : hours;
  const holds = (moment: number) => of.cells.find((cell, i) => Date.parse(cell.from) <= moment && moment < endOf(of.cells, i, daily));
  const picked = chosen ? holds(Date.parse(chosen)) : undefined;
  const present = holds(now.value);
  const first = picked ?? present ?? of.cells[0];
  return (
    <div class={daily ? "scroll heat days" : "scroll heat"} role="region" aria-label={m.pages.calendar} tabIndex={0}>
      <table aria-label={m.pages.calendar} onKeyDown={move}>
        <thead>
          <tr>
            <th scope="col">{daily ? m.calendar.week : m.calendar.day}</th>
            {columns.map((c) => <th key={c} scope="col">{daily ? weekday(Number(c)) : c}</th>)}
          </tr>
        </thead>
        <tbody>
          {[...rows].map(([row, of]) => (
            <tr key={row}>
              <th scope="row">{daily ? row : dayOf(row)}</th>
              {columns.map((c) => (
                <td key={c}>{of.get(c)?.map((cell) => <One key={cell.from} of={cell} most={most} present={cell === present} picked={cell === picked} first={cell === first} />)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** When a piece ends: where the next one begins. */
const endOf = (all: Piece[], i: number, daily: boolean) => Date.parse(all[i + 1]?.from ?? "") || Date.parse(all[i].from) + (daily ? 86400e3 : 3600e3);

const ways: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Arrow keys go from number to number, so that Tab passes one of them alone. */
function move(e: KeyboardEvent) {
  const cell = (e.target as Element).closest("td");
  const way = ways[e.key];
  if (!cell || !way || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  e.preventDefault();
  const rows = cell.closest("tbody")!.rows;
  let [row, column] = [(cell.parentElement as HTMLTableRowElement).sectionRowIndex, cell.cellIndex];
  for (;;) {
    row += way[0];
    column += way[1];
    const next = rows[row]?.cells[column];
    if (!next || column === 0) return;
    const link = next.querySelector("a");
    if (link) return link.focus();
  }
}

/** One hour or day: its number leads to its plans. */
function One({ of, most, present, picked, first }: { of: Piece; most: number; present: boolean; picked: boolean; first: boolean }) {
  const m = say.value.calendar;
  const top = of.top.map((t) => `${visible(t.station)} ${count(t.count)}`).join(", ");
  const whole = of.count < 1000 ? top : `${count(of.count)}: ${top}`;
  return (
    <a
      class={`shade-${shadeOf(of.count, most)}${present ? " now" : ""}`} href={withQuery({ cell: of.from })} title={whole || undefined}
      tabIndex={first ? undefined : -1} aria-current={picked ? "true" : present ? "time" : undefined}
    >
      {brief(of.count)}
      {of.notes.length > 0 && <span class="change"><span aria-hidden="true">◆</span><span class="unseen">{m.change}</span></span>}
    </a>
  );
}

/** A number that has room in a cell, as 1.3K. */
const brief = (n: number) =>
  n < 1000 ? count(n) : new Intl.NumberFormat(lang.now.value, { notation: "compact", maximumFractionDigits: n < 9950 ? 1 : 0 }).format(n);

const dateOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** The day of a week, Monday being 1. */
const weekdayOf = (day: string) => dateOf(day).getUTCDay() || 7;

const mondayOf = (day: string) => new Date(dateOf(day).getTime() - (weekdayOf(day) - 1) * 86400e3).toISOString().slice(0, 10);

const inWords = (options: Intl.DateTimeFormatOptions, day: Date) => new Intl.DateTimeFormat(lang.now.value, { timeZone: "UTC", ...options }).format(day);

const weekday = (n: number) => inWords({ weekday: "short" }, new Date(Date.UTC(2024, 0, n))); // a year that began on a Monday

const dayOf = (day: string) => `${inWords({ weekday: "short" }, dateOf(day))} ${day.slice(5)}`;
