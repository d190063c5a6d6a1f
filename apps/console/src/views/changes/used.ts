import type { ItemOf } from '../../api/types.js';

type Changed = Pick<ItemOf<'/audit/changes'>, 'day' | 'record'>;

/** Which results use a record of reports, though no event follows from it; `''`: none. */
export const usedText = ({ day, record }: Changed = { day: null, record: null }): string => {
  if (day !== null) return ` Results use it from ${day} until the day of the next snapshot.`;
  if (record?.kind === 'downtimes') return ' The reliability of its day leaves out these downtimes.';
  return record?.kind.startsWith('topology_') ? ' Results use it from its day until the day of the next list.' : '';
};
