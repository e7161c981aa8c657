import type { ComponentChildren } from "preact";

/** A name and its value, in a list of facts. */
export function Fact({ name, children, wide }: { name: ComponentChildren; children: ComponentChildren; wide?: boolean }) {
  return (
    <div class={wide ? "wide" : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
