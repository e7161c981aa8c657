import { signal } from "@preact/signals";
import { formatJson, parseJson, type Json } from "./json";
import { addressOf, type Query } from "./route";
import type { components } from "./api.d.ts";

/** The types of REST, by the names of its OpenAPI document. */
export type Api = components["schemas"];

/** An error in one field of a request. */
export interface FieldError {
  code: string;
  message: string;
  field?: string;
}

/** A refusal of the server. Its message names the remedy. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldError[],
  ) {
    super(message);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

/** Whether the connection to the server is lost. */
export const lost = signal(false);

/** Whether the session ended while a page was open. */
export const ended = signal(false);

/** Moves on when the server answers again; pages then ask anew. */
export const reconnected = signal(0);

/** An answer of the server. */
export interface Answer<T> {
  status: number;
  value: T;
  etag: string | null;
}

/** The address of a request. */
export const restPath = (path: string[], query: Query = {}) => addressOf("/api/v1/", path, query);

/** Reads server-sent events, until the server or signal ends them. Throws as request does. */
export async function readStream(address: string, signal: AbortSignal, { began, take }: { began: () => void; take: (event: string, data: string) => void }): Promise<void> {
  let text = "";
  try {
    const response = await fetch(address, { signal, cache: "no-store" });
    if (!response.ok) throw refusal(response, await response.text());
    began();
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = events.pop()!;
      for (const one of events) take(field(one, "event"), field(one, "data"));
    }
  } catch (e) {
    if (signal.aborted || e instanceof Refusal) throw e;
    loseConnection();
    throw new Unreachable();
  }
}

const field = (event: string, name: string) => event.split("\n").find((line) => line.startsWith(name + ": "))?.slice(name.length + 2) ?? "";

/** Sends a request. Throws a Refusal, or Unreachable, and an AbortError after signal. */
export async function request<T>(
  method: string,
  address: string,
  body?: Json,
  { ifMatch, signal }: { ifMatch?: string | null; signal?: AbortSignal } = {},
): Promise<Answer<T>> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (ifMatch) headers["If-Match"] = ifMatch;
  let response: Response, text: string;
  open++;
  try {
    response = await fetch(address, { method, headers, signal, body: body === undefined ? undefined : formatJson(body) });
    text = await response.text();
  } catch (e) {
    if (signal?.aborted) throw e;
    loseConnection();
    throw new Unreachable();
  } finally {
    open--;
    settle();
  }
  heard = performance.now();
  if (!response.ok) throw refusal(response, text);
  return { status: response.status, value: (text ? parseJson(text) : null) as T, etag: response.headers.get("ETag") };
}

function refusal(response: Response, text: string): Refusal {
  if (response.status === 401) ended.value = true;
  try {
    const problem = parseJson(text) as unknown as Api["Problem"];
    const first = problem.error as FieldError | undefined;
    const errors = (problem.errors ?? (first ? [first] : [])) as FieldError[];
    return new Refusal(response.status, first?.code ?? "", problem.detail ?? problem.title ?? "", errors);
  } catch {
    return new Refusal(response.status, "", `${response.status} ${response.statusText}`, []);
  }
}

let asking = 0;

/** Shows that the connection is lost, and asks until the server answers. */
function loseConnection() {
  lost.value = true;
  asking ||= window.setTimeout(askAgain, 1000);
}

async function askAgain() {
  try {
    await fetch(restPath(["session"]), { cache: "no-store" });
  } catch {
    asking = window.setTimeout(askAgain, 1000);
    return;
  }
  asking = 0;
  back = true;
  reconnected.value++;
  settle();
}

let open = 0, back = false;

/** Takes back that the connection is lost, once the requests of the pages are answered. */
function settle() {
  if (!back || open > 0) return;
  back = false;
  lost.value = false;
}

/** How long a page hears nothing from the server before it asks whether it is there, in milliseconds. */
export const unheard = 4000;

let heard = performance.now();

/** Asks whether the server is there, if nothing was heard of it lately, because some pages ask for nothing. */
export async function hearAgain(): Promise<void> {
  if (lost.peek() || performance.now() - heard < unheard) return;
  await request("GET", restPath(["session"])).catch(() => {});
}
