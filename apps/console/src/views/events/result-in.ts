type Members = Readonly<Record<string, unknown>>;

/** A result in the data of an event. `host`: in events of version 1 it stands beside the results. */
export const resultIn = (data: object | null, place: number): Members | undefined => {
  const { results, host } = (data ?? {}) as Members;
  const found: unknown = Array.isArray(results) ? results[place] : undefined;
  return typeof found === 'object' && found !== null ? { ...(host !== undefined && { host }), ...found } : undefined;
};
