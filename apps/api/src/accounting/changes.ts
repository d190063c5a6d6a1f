/** The members of an update that change something: `null` and empty texts leave what there is. */
export const changesIn = <K extends string>(members: Readonly<Record<K, string | null>>): Partial<Record<K, string>> => {
  const changes: Partial<Record<K, string>> = {};
  for (const member in members) {
    const value = members[member];
    if (value) changes[member] = value;
  }
  return changes;
};

/** A text that may be left out: an empty one is none. */
export const orNull = (value: string | null): string | null => value || null;
