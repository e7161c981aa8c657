import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { lost, Refusal, type FieldError } from "./rest";
import { say } from "./say";
import { visible } from "./visible";

/**
 * A dialog, open as long as it is there. The browser keeps the focus in it; Esc and the button
 * Back close it. Its form does act, and stays when act throws: it then shows why.
 */
export function Dialog({ title, verb, act, close, children, danger }: {
  title: string;
  verb?: string;
  act?: (form: FormData) => Promise<void>;
  close: () => void;
  children?: ComponentChildren;
  danger?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [refused, refuse] = useState("");
  const [busy, setBusy] = useState(false);
  const m = say.value;
  useEffect(() => {
    const d = dialog.current!;
    const before = document.activeElement as HTMLElement | null;
    d.showModal();
    const field = d.querySelector<HTMLInputElement>("input, textarea, select");
    (field ?? d.querySelector<HTMLElement>("button[type=submit]"))?.focus();
    field?.select?.();
    return () => {
      d.close();
      // The button that opened it may be gone, because the verb changed the page.
      (before?.isConnected && before !== document.body ? before : document.querySelector("h1"))?.focus();
    };
  }, []);
  const submit = async (e: SubmitEvent) => {
    e.preventDefault();
    e.stopPropagation(); // a form around the dialog is not sent
    if (!act || busy) return;
    setBusy(true);
    refuse("");
    markFaults(dialog.current!, []);
    try {
      await act(new FormData(e.currentTarget as HTMLFormElement));
      close();
    } catch (problem) {
      refuse(problem instanceof Refusal ? visible(problem.message) : m.connectionLost);
      setBusy(false);
      const d = dialog.current!;
      const first = markFaults(d, problem instanceof Refusal ? problem.errors : []);
      setTimeout(() => (first ?? d.querySelector<HTMLElement>("button[type=submit]"))?.focus()); // which was disabled meanwhile
    }
  };
  useSignalEffect(() => {
    if (!lost.value) refuse((text) => (text === say.peek().connectionLost ? "" : text));
  });
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onCancel={(e) => (e.preventDefault(), close())} onClose={close}>
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {refused && <p class="alert" role="alert" id="dialog-fault">{refused}</p>}
        <div class="buttons">
          {verb && <button type="submit" class={danger ? "danger" : "primary"} disabled={busy}>{verb}</button>}
          <button type="button" onClick={close}>{m.back}</button>
        </div>
      </form>
    </dialog>
  );
}

/** Marks the controls of errors, and those of none as right. Returns the first that is wrong. */
function markFaults(dialog: HTMLDialogElement, errors: FieldError[]): HTMLElement | undefined {
  const wrong = new Set(errors.map((e) => (e.field ?? "").replace(/\[.*$/, "")));
  let first: HTMLElement | undefined;
  for (const control of dialog.querySelectorAll<HTMLInputElement>("[name]")) {
    const is = wrong.has(control.name);
    if (is) first ??= control;
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", "dialog-fault"]]) {
      if (is) control.setAttribute(name, value);
      else control.removeAttribute(name);
    }
  }
  return first;
}
