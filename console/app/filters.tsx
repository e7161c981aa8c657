import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { open, param, withQuery } from "./route";
import { hasRoom } from "./prefs";
import { say } from "./say";
import { instantOf, localInput, shownZone } from "./time";
import { visible } from "./visible";

/** Filters of a list. The choices are in the address, by the names of REST's parameters. */
export function Filters({ label, children }: { label: string; children: ComponentChildren }) {
  const apply = (form: HTMLFormElement) => {
    const change: Record<string, string[]> = { cursor: [], before: [] };
    for (const control of form.elements) {
      if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) if (control.name) change[control.name] = [];
    }
    for (const [name, value] of new FormData(form)) if (value) (change[name] ??= []).push(valueOf(form, name, String(value)));
    open(withQuery(change), "filter");
  };
  return (
    <form
      class="filters" role="search" aria-label={label}
      onSubmit={(e) => (e.preventDefault(), apply(e.currentTarget))}
      onChange={(e) => apply(e.currentTarget)}
    >
      {children}
    </form>
  );
}

/** The value of a control, as REST takes it: a time is an instant. */
function valueOf(form: HTMLFormElement, name: string, value: string): string {
  const control = form.elements.namedItem(name);
  return control instanceof HTMLInputElement && control.type === "datetime-local" ? instantOf(value, shownZone()) : value;
}

/** A control that shows a text. Typing stays until it is applied; the address changes otherwise, too, as by Back. */
function useTyped(shown: string) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current!.value = shown;
  }, [shown]);
  return input;
}

/** A filter that is a text. */
export function TextFilter({ name, label, type = "text" }: { name: string; label: string; type?: "text" | "search" }) {
  const input = useTyped(param(name));
  return (
    <label>
      <span>{label}</span>
      <input ref={input} name={name} type={type} list={undefined} data-find={name === "text" ? "" : undefined} autocomplete="off" />
    </label>
  );
}

/** A filter that is one of some words; an empty one takes all. */
export function ChoiceFilter({ name, label, values, any }: { name: string; label: string; values: readonly string[]; any: string }) {
  const chosen = param(name);
  const all = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  return (
    <label>
      <span>{label}</span>
      <select name={name} value={chosen}>
        <option value="" selected={chosen === ""}>{any}</option>
        {all.map((v) => <option key={v} value={v} selected={chosen === v}>{visible(v)}</option>)}
      </select>
    </label>
  );
}

/** A filter that is a whole number. */
export function NumberFilter({ name, label }: { name: string; label: string }) {
  const input = useTyped(param(name));
  return (
    <label>
      <span>{label}</span>
      <input ref={input} name={name} type="number" min="1" step="1" autocomplete="off" />
    </label>
  );
}

/** A filter that is a moment, typed in the zone that is shown. */
export function TimeFilter({ name, label }: { name: string; label: string }) {
  const zone = shownZone();
  const input = useTyped(localInput(param(name), zone));
  return (
    <label>
      <span>{label} ({zone})</span>
      <input ref={input} name={name} type="datetime-local" step="1" />
    </label>
  );
}

/** A filter that is on or off. */
export function CheckFilter({ name, label, about }: { name: string; label: string; about?: string }) {
  return (
    <label class="check" title={about}>
      <input name={name} type="checkbox" value="true" checked={param(name) === "true"} />
      <span>{label}</span>
    </label>
  );
}

/** Filters that a narrow page folds away until one of them is used. */
export function MoreFilters({ names, children }: { names: string[]; children: ComponentChildren }) {
  const [open, fold] = useState(hasRoom || names.some((name) => param(name)));
  return (
    <details class="more" open={open} onToggle={(e) => fold(e.currentTarget.open)}>
      <summary>{say.value.moreFilters}</summary>
      <div class="filters">{children}</div>
    </details>
  );
}
