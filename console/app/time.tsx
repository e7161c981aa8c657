import { lang, tz } from "./prefs";
import { now } from "./updates";

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", timeZoneName: "longOffset", weekday: "short",
      year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    });
    clocks.set(zone, clock);
  }
  return clock;
}

/** The browser's zone. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The zone in which the times of a plan are shown, given the plan's own. */
export function shownZone(ofPlan = "UTC"): string {
  switch (tz.now.value) {
    case "browser":
      return browserZone;
    case "utc":
      return "UTC";
    default:
      return knownZone(ofPlan) ? ofPlan : "UTC";
  }
}

function knownZone(zone: string): boolean {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false; // the server knows a zone that this browser does not
  }
}

/** An instant as a clock in a zone shows it. */
export interface Local {
  date: string;
  time: string;
  offset: string;
}

/** Reads an instant in a zone: date, time to the second, and the zone's offset at that moment. */
export function localOf(instant: string | number, zone: string): Local {
  const part: Record<string, string> = {};
  for (const { type, value } of clockOf(zone).formatToParts(new Date(instant))) part[type] = value;
  const offset = part.timeZoneName.replace("GMT", "") || "+00:00";
  return { date: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}:${part.second}`, offset };
}

/**
 * The instant, in RFC 3339, at which a clock in a zone shows a local time ("2026-12-01T09:00:00").
 * Of a time that is shown twice it is the first; one that is never shown counts with the offset
 * that was in force before.
 */
export function instantOf(local: string, zone: string): string {
  const asUtc = Date.parse(local + "Z");
  if (Number.isNaN(asUtc)) return local;
  const offset = (at: number) => Date.parse(stampOf(localOf(at, zone)) + "Z") - Math.floor(at / 1000) * 1000;
  const before = offset(asUtc - 86400e3);
  const first = asUtc - before;
  return new Date(offset(first) === before ? first : asUtc - offset(first)).toISOString().replace(".000Z", "Z");
}

const stampOf = (l: Local) => `${l.date}T${l.time}`;

/** The text of an instant in a control of type datetime-local. */
export const localInput = (instant: string, zone: string) =>
  Number.isNaN(Date.parse(instant)) ? "" : stampOf(localOf(instant, zone));

const steps: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** How far an instant is from now, such as "in 3 hr." */
export function relative(instant: string): string {
  const seconds = Math.round((Date.parse(instant) - now.value) / 1000);
  const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? steps[3];
  return new Intl.RelativeTimeFormat(lang.now.value, { numeric: "auto", style: "short" }).format(Math.trunc(seconds / size), unit);
}

/** An instant, in the zone that the reader chose, with its distance from now. */
export function When({ at, zone, bare }: { at?: string; zone?: string; bare?: boolean }) {
  if (!at) return null;
  const l = localOf(at, shownZone(zone));
  return (
    <span class="when">
      <time dateTime={utc(at)}>
        {l.date} {l.time} <span class="offset">{l.offset}</span>
      </time>
      {!bare && <Ago at={at} />}
    </span>
  );
}

const utc = (at: string) => (at.endsWith("Z") ? at : new Date(at).toISOString());

function Ago({ at }: { at: string }) {
  return <small class="ago">{relative(at)}</small>;
}

/** A length of time, such as "2.8 s" or "3 min 20 s". */
export function duration(milliseconds: number): string {
  const number = (value: number, digits = 0) => new Intl.NumberFormat(lang.now.value, { maximumFractionDigits: digits }).format(value);
  const s = milliseconds / 1000;
  if (s < 1) return `${number(milliseconds, milliseconds < 10 ? 1 : 0)} ms`;
  if (s < 60) return `${number(s, 1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  return `${number(Math.floor(s / 3600))} h ${Math.floor((s % 3600) / 60)} min`;
}

/** The time between two instants; nothing while one of them is unknown. */
export function took(from?: string, to?: string): string {
  return from && to ? duration(Date.parse(to) - Date.parse(from)) : "";
}
