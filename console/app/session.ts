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
const asked = Date.now();

/** Who uses the console. */
export const session = {
  current,
  /** Whether there are verbs for this person. */
  operates: computed(() => current.value?.role === "operator" && !current.value.read_only),
  /** By how many milliseconds the server's clock is ahead of the browser's. */
  skew: computed(() => (current.value?.time ? Date.parse(current.value.time) - asked : 0)),

  /** Asks for the session when the document had none, because it was opened from another site. */
  async find() {
    if (current.value) return;
    try {
      current.value = (await request<Session>("GET", restPath(["session"]))).value;
    } catch {
      ended.value = false;
    }
  },

  async logIn(token: string) {
    current.value = (await request<Session>("POST", restPath(["session"]), { token })).value;
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
