/** Result of a command: the new record, and whether reads show it already. */
export type WrittenRecord<Record> = Readonly<{ record: Record; readable: boolean }>;
