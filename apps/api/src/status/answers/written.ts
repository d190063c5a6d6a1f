/** Result of a command. `readable`: true if reads show the change already. */
export type WriteOutcome = Readonly<{ readable: boolean }>;

/** The same, with the id of the new record. */
export type Created = WriteOutcome & Readonly<{ id: string }>;
