import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { open, param, withQuery } from "./route";
import { visible } from "./visible";

/** Filters of a list. What is chosen is in the address, by the names of REST's parameters. */
export function Filters({ label, children }: { label: string; children: ComponentChildren }) {
  const apply = (form: HTMLFormElement) => {
    const change: Record<string, string[]> = { cursor: [], before: [] };
    for (const control of form.elements) {
      if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) if (control.name) change[control.name] = [];
    }
    for (const [name, value] of new FormData(form)) if (value) (change[name] ??= []).push(String(value));
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

/** A filter that is a text. */
export function TextFilter({ name, label, type = "text" }: { name: string; label: string; type?: "text" | "search" }) {
  const input = useRef<HTMLInputElement>(null);
  const wanted = param(name);
  // What is typed stays until it is applied; the address changes otherwise, too, as by Back.
  useEffect(() => {
    input.current!.value = wanted;
  }, [wanted]);
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
