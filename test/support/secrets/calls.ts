import { type Answer, type HttpClient } from '#test/support/status-client.js';

/** Calls of the journeys: each must succeed. */
export type Calls = Readonly<{
  call(method: string, path: string, body?: unknown): Promise<Json>;
}>;
export type Json = Readonly<Record<string, unknown>>;

/** What a journey leaves behind. */
export type Planted = Readonly<{
  /** Reads whose answers show planted texts, by the service's own callers: each as [key or token, path]. */
  shown: readonly (readonly [caller: Readonly<Record<string, string>>, path: string])[];
  /** Deletes what can be deleted. */
  remove(): Promise<void>;
  /** Subjects whose keys are gone after that, and some of those whose keys stay. */
  forgotten: readonly string[];
  kept: readonly string[];
}>;

/** @throws unless the call succeeded */
const succeeded = (call: string, { status, text, json }: Answer): Json => {
  if (status < 200 || status > 299) throw new Error(`${call}: ${status} ${text}`);
  return (json ?? {}) as Json;
};

export const callsOf = (http: HttpClient, headers: Readonly<Record<string, string>>): Calls => ({
  call: async (method, path, body) => succeeded(`${method} ${path}`, await http.call(method, path, { body, headers })),
});
