import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Preview } from "./form";

/**
 * The fields of a schedule, with a preview while it is typed: the cron expression is the
 * control of the name in field, the zone that of the name timezone.
 */
export function CronFields({ field, cron = "", timezone = "", children }: { field: string; cron?: string; timezone?: string; children: ComponentChildren }) {
  const [when, setWhen] = useState({ cron, timezone });
  const typed = (e: { currentTarget: HTMLElement }) => {
    const form = new FormData(e.currentTarget.closest("form")!);
    setWhen({ cron: String(form.get(field)).trim(), timezone: String(form.get("timezone")) });
  };
  return (
    <>
      <div onInput={typed}>{children}</div>
      {when.cron && <Preview plan={{ plan_type: "cron", cron: when.cron, ...(when.timezone && { timezone: when.timezone }) }} zone={when.timezone || "UTC"} />}
    </>
  );
}
