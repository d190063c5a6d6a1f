const NAMED = ['ok', 'critical', 'warning', 'unknown', 'missing'];

/** What a `filter` parameter lets through, in any letter case; nothing when it names no filter (status contract 13.2, extended contract 8). */
export const statusFilter = (filter: string | undefined): ((status: string) => boolean) | undefined => {
  const name = filter?.toLowerCase() ?? '';
  if (name === 'non-ok') return (status) => status !== 'OK';
  const wanted = name.toUpperCase();
  return NAMED.includes(name) ? (status) => status === wanted : undefined;
};
