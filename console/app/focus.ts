/**
 * Gives the focus to the heading when the element that had it leaves the page, because a verb is done or
 * a row is gone: a reader with a keyboard would otherwise begin at the top again.
 */
export function keepFocus() {
  let holder: Element | undefined;
  addEventListener("focusin", (e) => (holder = e.target as Element));
  addEventListener("focusout", (e) => {
    const left = e.target as Element;
    // An element that leaves the page loses the focus, too, and is then no longer there.
    queueMicrotask(() => left.isConnected && holder === left && (holder = undefined));
  });
  new MutationObserver(() => {
    if (!holder || holder.isConnected) return;
    holder = undefined;
    if (document.activeElement === document.body) document.querySelector("h1")?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
