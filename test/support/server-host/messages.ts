/** The first line of a connection to a host: its task. */
export type HostTask = Readonly<
  | { serve: Readonly<Record<string, string>> }
  /** Path of Chromium. */
  | { browser: string }
  /** `answered`: positions that answers named, by the ids of requests. */
  | { log: string; answered: readonly (readonly [requestId: string, position: string | null])[] }
>;

/** Answers of a host. For a server: lines of its log, then its exit code. For other tasks: one answer. */
export type HostMessage = Readonly<{ line: string } | { exit: number } | { endpoint: string } | { flaws: readonly string[] }>;
