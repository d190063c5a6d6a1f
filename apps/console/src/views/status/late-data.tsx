import { useState } from 'preact/hooks';
import { send } from '../../api/client.js';
import { mayOperate, type Session } from '../../api/session.js';
import type { PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { ErrorNote } from '../../parts/error-note.js';
import { counted } from '../../parts/figures.js';
import { Outcome } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';
import { recordPlace } from '../../records/places.js';
import { lateOf } from './late.js';
import { type Asked, type Explanation, loadRequested, type Requested } from './load.js';

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
  /** `undefined`: not known, nor whether one may be asked for. */
  requested: readonly Requested[] | undefined;
  said: (text: string) => void;
}>;

type AskProps = Readonly<{ asked: Asked; day: string; said: (text: string) => void }>;

/** Asks the tenant for a recomputation of a day. */
const Ask = ({ asked: { tenant, report }, day, said }: AskProps) => {
  const [asking, setAsking] = useState(false);
  const ask = async (reason: string) => {
    const body = { tenant, report, from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z`, reason };
    await send<PostAnswerOf<'/ops/results/recomputations'>>('POST', '/ops/results/recomputations', body);
    said(`Asked for a recomputation of ${report} on ${day}. It runs once the tenant has approved it.`);
  };
  return (
    <>
      <Button text="Ask for a recomputation" aria-label={`Ask for a recomputation of ${day}`} onClick={() => setAsking(true)} />
      {asking && (
        <Confirm title="Ask for a recomputation?" action="Ask" reason act={ask} onClose={() => setAsking(false)}>
          <p>
            The tenant is asked to approve a recomputation of {report} on {day}. Before it approves, it can exclude data of this day. Late
            data are part of the figures without a recomputation.
          </p>
        </Confirm>
      )}
    </>
  );
};

/** Recomputations that have not ended; without one operators may ask for one, which the tenant approves. */
const Recomputing = ({ requested, session, ...rest }: AskProps & Pick<LateProps, 'requested' | 'session'>) => {
  const open = requested?.filter(({ status }) => NEXT[status] !== undefined) ?? [];
  return (
    <>
      {open.map((one) => (
        <Open key={one.id} of={one} session={session} />
      ))}
      {mayOperate(session) && rest.asked.asOf === undefined && requested && open.length === 0 && <Ask {...rest} />}
    </>
  );
};

/** Points that arrived after the day had ended, and its recomputations. */
export const LateData = ({ of, ...rest }: LateProps) => {
  const late = lateOf(of);
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
      <Recomputing day={of.day} {...rest} />
    </>
  );
};

const includes = ({ from, to }: Requested, day: string): boolean => from.slice(0, 10) <= day && day <= to.slice(0, 10);

type LateDaysProps = Readonly<{ days: ReadonlyMap<string, string>; asked: Asked; session: Session }>;

/** Days of the map whose data arrived late, the newest first, each with its recomputation. */
export const LateDays = ({ days, asked, session }: LateDaysProps) => {
  const { tenant, report, asOf } = asked;
  const [said, setSaid] = useState('');
  const requested = useData(async (signal) => (asOf === undefined ? loadRequested(asked, undefined, signal) : []), [tenant, report, asOf]);
  const done = (text: string) => {
    setSaid(text);
    requested.again();
  };
  if (days.size === 0) return null;
  return (
    <>
      {requested.error !== undefined && <ErrorNote error={requested.error} again={requested.again} />}
      <details>
        <summary>
          Data of {counted(days.size, 'day')} arrived late: more than an hour after the day had ended. The figures include them.
        </summary>
        <Outcome said={said} />
        <ul class="plain" aria-label="Late data">
          {[...days].toReversed().map(([day, at]) => (
            <li key={day}>
              {day}: the last point arrived at <Time at={at} />{' '}
              <Recomputing
                day={day}
                asked={asked}
                session={session}
                requested={requested.data?.filter((one) => includes(one, day))}
                said={done}
              />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
};
