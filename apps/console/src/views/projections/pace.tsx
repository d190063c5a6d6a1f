import type { AnswerOf } from '../../api/types.js';
import { LastHour } from '../../charts/last-hour.js';
import { duration, figure } from '../../parts/figures.js';
import { placeOf } from '../../place.js';

type Projection = AnswerOf<'/ops/projections/{name}'>;
type Pace = Projection['pace'];

/** Only the node that applies the log to a projection measures it. */
const ELSEWHERE = 'not known on this node';

const rateText = (perSecond: number): string => `${figure(perSecond)} /s`;

/** `is caught up`, `about 2 min`, or that it will not be. */
const catchUpText = ({ lag, pace }: Projection): string => {
  if (lag.events === 0) return 'is caught up';
  if (!pace) return ELSEWHERE;
  return typeof pace.caughtUpInSeconds === 'number' ? `about ${duration(Math.max(1, pace.caughtUpInSeconds))}` : 'never at this rate';
};

const SlowestEvent = ({ pace }: Readonly<{ pace: Pace }>) => {
  if (!pace) return <>{ELSEWHERE}</>;
  if (!pace.slowestEvent) return <>none in the last hour</>;
  const { type, index, milliseconds } = pace.slowestEvent;
  return (
    <>
      {figure(milliseconds)} ms, {typeof index === 'number' ? <a href={placeOf(`/events/${index}`)}>{type}</a> : type}
    </>
  );
};

/** Facts about how fast events are applied. */
export const paceFacts = (projection: Projection) => {
  const { pace } = projection;
  return [
    ['Events in', pace ? rateText(pace.eventsIn) : ELSEWHERE],
    ['Events out', pace ? rateText(pace.eventsOut) : ELSEWHERE],
    ['Caught up in', catchUpText(projection)],
    ['Slowest event', <SlowestEvent key="slowest" pace={pace} />],
  ] as const;
};

/** The lag in each minute of the last hour. */
export const LagOfHour = ({ pace }: Readonly<{ pace: Pace }>) => {
  const hour = pace?.lastHour;
  if (!hour) return <p class="quiet">The lag over the last hour is {ELSEWHERE}.</p>;
  return <LastHour title="Lag over the last hour" unit="seconds" bins={hour} series={[{ name: 'Lag', values: hour.lagSeconds }]} />;
};
