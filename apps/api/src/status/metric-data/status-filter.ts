const NAMED = ['ok', 'critical', 'warning', 'unknown', 'missing'];

/** Tests a status against `filter`, in any letter case; `undefined` if unknown (status contract 13.2, status extended contract 8). */
export const statusFilter = (filter: string | undefined): ((status: string) => boolean) | undefined => {
  const name = filter?.toLowerCase() ?? '';
  if (name === 'non-ok') return (status) => status !== 'OK';
  const wanted = name.toUpperCase();
  return NAMED.includes(name) ? (status) => status === wanted : undefined;
};
