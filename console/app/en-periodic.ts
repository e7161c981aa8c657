/** The English texts about periodic tasks. */
export const periodic = {
  filter: "Filter periodic tasks",
  columns: ["Name", "Status", "Type", "Schedule", "Log", "Changed"],
  none: "There is no periodic task yet. The first command makes one; the second has it triggered:",
  noneFits: (filters: string) => `No periodic task fits ${filters}.`,
  gone: "There is no periodic task of this name.",
  made: "Made",
  changed: "Changed",
  put: "Put",
  putNew: "Put a periodic task",
  putAbout: "The task keeps its status. Moved to another type, it leaves behind what is under way there.",
  newAbout: "It is triggered when it is put online. Without an id, one is made.",
  wasPut: (id: string) => `${id} is put.`,
  online: "Online",
  offline: "Offline",
  is: (id: string, status: string) => `${id} is ${status}.`,
  delete: "Delete",
  deleteAbout: "The task is gone at once, with its log, and what it triggered is cancelled.",
  deleted: (id: string) => `${id} is deleted.`,
  log: "Trigger log",
  logColumns: ["Triggered", "Result", "Took", "Error"],
  noLog: "Nothing is logged. Tasks with log trigger_log or trans_log have rows here when they were triggered.",
  fields: { id: "Id", type: "Type", cron_expressions: "Cron expression", timezone: "Zone", log: "Log", tenant_id: "Tenant", category: "Category", creator: "Creator", ext: "Extension" },
};

/** The English texts about callbacks. */
export const callbacks = {
  about: "Callbacks that their addresses have not taken. Each is tried again after 1, 2, 4 and so on up to 60 seconds, until it is taken or given up.",
  filter: "Filter callbacks",
  columns: ["Name", "Not delivered", "Last answer", "Tries", "Next try"],
  none: "Every callback is delivered. The same list on the command line:",
  noneFits: (filters: string) => `No callback that is not delivered fits ${filters}.`,
  tryNow: "Try now",
  tried: (name: string) => `${name} is tried now.`,
  giveUp: "Give up",
  giveUpAbout: (n: string) => `Not delivered are ${n}. They are dropped, and their addresses never learn of these results. The results stay.`,
  givenUp: (name: string) => `${name} is given up.`,
};
