import { count } from '../../parts/figures.js';

type Waiting = Readonly<{ ackMode: string; backlog: number; exact: boolean; outstanding: number | null }>;

/** What waits, with what is leased of it, as far as the node that answered knows. */
export const backlogText = ({ ackMode, backlog, exact, outstanding }: Waiting): string => {
  const waiting = `${exact ? '' : '≤ '}${count(backlog)}`;
  if (outstanding === null) return ackMode === 'message' ? `${waiting}, leases are held by another node` : waiting;
  return outstanding > 0 ? `${waiting}, ${count(outstanding)} leased` : waiting;
};
