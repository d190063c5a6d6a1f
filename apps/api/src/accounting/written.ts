/** Result of a command: the record as it is now, and whether reads show it already. */
export type WrittenRecord<Record> = Readonly<{ record: Record; readable: boolean }>;
