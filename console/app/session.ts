import { computed, signal } from "@preact/signals";
import { ended, request, restPath } from "./rest";
import { documentSession, open, pageOf, place } from "./route";

/** The session, as GET /api/v1/session answers. */
export interface Session {
  role: "reader" | "operator" | "";
  name?: string;
  login: boolean;
  read_only?: boolean;
  version?: string;
  prefix?: string;
  node?: string;
  time?: string;
  expires?: string;
  features?: string[];
}

const current = signal<Session | undefined>(documentSession ? (JSON.parse(documentSession) as Session) : undefined);

/** How far the server's clock is ahead of the browser's, and how far off that may be, in milliseconds. */
interface Clock {
  by: number;
  within: number;
}

/** Compares the clocks: the server read its clock at some moment between asked and answered. */
function compare(time: string | undefined, asked: number, answered: number): Clock {
  const within = Math.max(0, answered - asked) / 2;
  return { by: time ? Date.parse(time) - asked - within : 0, within };
}

/** The times of the document are on the browser's steady clock, from its beginning on. */
function ofTheDocument(): Clock {
  const document = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  const { requestStart = 0, responseStart = 0 } = document ?? {};
  return compare(current.peek()?.time, performance.timeOrigin + requestStart, performance.timeOrigin + responseStart);
}

const clock = signal(ofTheDocument());

/** Who uses the console. */
export const session = {
  current,
  /** Whether there are verbs for this person. */
  operates: computed(() => current.value?.role === "operator" && !current.value.read_only),
  /** The server's clock beside the browser's. */
  clock,

  /** Asks for the session when the document had none, because it was opened from another site. */
  async find() {
    if (current.value) return;
    try {
      const asked = Date.now();
      current.value = (await request<Session>("GET", restPath(["session"]))).value;
      clock.value = compare(current.value.time, asked, Date.now());
    } catch {
      ended.value = false;
    }
  },

  async logIn(token: string) {
    const asked = Date.now();
    current.value = (await request<Session>("POST", restPath(["session"]), { token })).value;
    clock.value = compare(current.value.time, asked, Date.now());
    ended.value = false;
  },

  async logOut() {
    await request("DELETE", restPath(["session"]));
    current.value = undefined;
    open(pageOf(["login"]));
  },
};

/** The page for logging in, which leads back to the present one. */
export const loginPage = () => pageOf(["login"], { next: place.value.pathname + place.value.search });
