import { useState } from 'preact/hooks';
import { send } from '../../api/client.js';
import { mayOperate, type Session } from '../../api/session.js';
import type { PostAnswerOf } from '../../api/types.js';
import { Confirm } from '../../parts/confirm.js';
import { counted } from '../../parts/figures.js';
import { Time } from '../../parts/time.js';
import { lateOf } from './late.js';
import type { Asked, Explanation } from './load.js';

type Requested = PostAnswerOf<'/ops/results/recomputations'>;

type LateProps = Readonly<{ of: Explanation; asked: Asked; session: Session; said: (text: string) => void }>;

/** Points that arrived after the day had ended. Operators may ask for a recomputation, which the tenant approves. */
export const LateData = ({ of, asked: { tenant, report, asOf }, session, said }: LateProps) => {
  const [asking, setAsking] = useState(false);
  const late = lateOf(of);
  const { day } = of;
  const ask = async (reason: string) => {
    const body = { tenant, report, from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z`, reason };
    await send<Requested>('POST', '/ops/results/recomputations', body);
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
      {mayOperate(session) && asOf === undefined && (
        <button type="button" onClick={() => setAsking(true)}>
          Ask for a recomputation
        </button>
      )}
      {asking && (
        <Confirm title="Ask for a recomputation?" action="Ask" reason act={ask} onClose={() => setAsking(false)}>
          <p>
            The tenant finds a request for {report} on {day}, approves or rejects it, and may leave out data first.
          </p>
        </Confirm>
      )}
    </>
  );
};
