import { useState } from 'preact/hooks';
import { send } from '../../api/client.js';
import { mayOperate, type Session } from '../../api/session.js';
import type { PostAnswerOf } from '../../api/types.js';
import { Confirm } from '../../parts/confirm.js';
import { counted } from '../../parts/figures.js';
import { Time } from '../../parts/time.js';
import { recordPlace } from '../../records/places.js';
import { lateOf } from './late.js';
import type { Asked, Explanation, Requested } from './load.js';

/** The next step of a recomputation that has not ended. */
const NEXT: Readonly<Partial<Record<Requested['status'], string>>> = {
  pending: 'It waits until the tenant has approved or rejected it.',
  approved: 'The tenant has approved it, and it is about to run.',
  running: 'It is running.',
};

const daysText = (from: string, to: string): string => (from === to ? from : `${from} to ${to}`);

const Open = ({ of: { id, from, to, reason, status, since }, session }: Readonly<{ of: Requested; session: Session }>) => {
  const address = recordPlace({ service: 'status', kind: 'recomputation', id }, session);
  return (
    <p>
      A <a href={address}>recomputation of {daysText(from.slice(0, 10), to.slice(0, 10))}</a>, {status} since <Time at={since} />, was asked
      for: “{reason}”. {NEXT[status]}
    </p>
  );
};

type LateProps = Readonly<{
  of: Explanation;
  asked: Asked;
  session: Session;
  requested: readonly Requested[];
  said: (text: string) => void;
}>;

/** Points that arrived after the day had ended, and recomputations that have not. Operators may ask for one, which the tenant approves. */
export const LateData = ({ of, asked: { tenant, report, asOf }, session, requested, said }: LateProps) => {
  const [asking, setAsking] = useState(false);
  const late = lateOf(of);
  const open = requested.filter(({ status }) => NEXT[status] !== undefined);
  const { day } = of;
  const ask = async (reason: string) => {
    const body = { tenant, report, from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z`, reason };
    await send<PostAnswerOf<'/ops/results/recomputations'>>('POST', '/ops/results/recomputations', body);
    said(`Asked for a recomputation of ${report} on ${day}. It runs once the tenant has approved it.`);
  };
  return (
    <>
      {late && (
        <p>
          {late.isLeast && 'At least '}
          {counted(late.points, 'point')} of this day arrived after it had ended, the last one at <Time at={late.last} />. The figures
          include
          {late.points === 1 ? ' it' : ' them'}.
        </p>
      )}
      {open.map((one) => (
        <Open key={one.id} of={one} session={session} />
      ))}
      {mayOperate(session) && asOf === undefined && open.length === 0 && (
        <button type="button" onClick={() => setAsking(true)}>
          Ask for a recomputation
        </button>
      )}
      {asking && (
        <Confirm title="Ask for a recomputation?" action="Ask" reason act={ask} onClose={() => setAsking(false)}>
          <p>
            The tenant is asked to approve a recomputation of {report} on {day}. Until then it can exclude data from the day. Late data are
            part of the figures without a recomputation.
          </p>
        </Confirm>
      )}
    </>
  );
};
