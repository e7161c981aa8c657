import type { Catalogue } from "./en";

type Name = keyof Catalogue["pages"];

/** The pages of the navigation, and where each is below /ui/; also: pages that stand under its name. */
export const sections: { path: readonly string[]; name: Name; also?: string }[] = [
  { path: [], name: "overview" },
  { path: ["plans"], name: "plans" },
  { path: ["runs"], name: "runs" },
  { path: ["timeline"], name: "timeline" },
  { path: ["calendar"], name: "calendar" },
  { path: ["stations"], name: "stations" },
  { path: ["workers"], name: "workers" },
  { path: ["jobs"], name: "jobs" },
  { path: ["tasks"], name: "tasks", also: "task-types" },
  { path: ["periodic"], name: "periodic" },
  { path: ["queues"], name: "queues" },
  { path: ["callbacks"], name: "callbacks" },
  { path: ["cluster"], name: "cluster" },
  { path: ["live"], name: "live" },
  { path: ["help"], name: "help" },
];

/** Whether there is such a page, so that a link leads somewhere. */
export const has = (name: Name) => sections.some((s) => s.name === name);
