/** Changed members of an update: `null` and empty texts leave a value unchanged. */
export const changesIn = <K extends string>(members: Readonly<Record<K, string | null>>): Partial<Record<K, string>> => {
  const changes: Partial<Record<K, string>> = {};
  for (const member in members) {
    const value = members[member];
    if (value) changes[member] = value;
  }
  return changes;
};

/** An optional text: an empty one counts as absent. */
export const orNull = (value: string | null): string | null => value || null;
