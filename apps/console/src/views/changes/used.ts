import type { ItemOf } from '../../api/types.js';

type Changed = Pick<ItemOf<'/audit/changes'>, 'day' | 'record'>;

/** That results use a record of reports, though no event follows from it; `''`: they do not. */
export const usedText = ({ day, record }: Changed = { day: null, record: null }): string => {
  if (day !== null) return ` Results from ${day} on use it.`;
  return record?.kind.startsWith('topology_') ? ' Results from its day on use it.' : '';
};
