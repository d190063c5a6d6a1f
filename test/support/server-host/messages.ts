/** What a host tells the client of a server: a line of its log, or, as the last, its exit code. */
export type HostMessage = Readonly<{ line: string } | { exit: number }>;
