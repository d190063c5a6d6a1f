import { get, pathOf } from '../../api/client.js';
import { mayOperate } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Facts } from '../../parts/facts.js';
import { count, counted } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { State, toneOf } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { ProjectionJobs } from './jobs.js';
import { lagText, setAsideText } from './lag.js';
import { LagOfHour, paceFacts } from './pace.js';
import { SetAside } from './set-aside.js';
import { Skips } from './skips.js';

type Projection = AnswerOf<'/ops/projections/{name}'>;

const factsOf = (projection: Projection) => {
  const { version, service, state, position, head, lag, documents, appliedAt, projector, pace, setAside } = projection;
  return [
    [
      'State',
      <State key="state" tone={toneOf(state)}>
        {state}
      </State>,
    ],
    ['Position', position],
    [
      'Head',
      <span key="head" title="position of the newest event of its categories">
        {head}
      </span>,
    ],
    ['Lag', lagText(lag)],
    ...paceFacts(projection),
    ['Projector', projector ?? (pace ? 'this node' : 'no node')],
    ['Last read of the log', <Time key="applied" at={appliedAt} relative />],
    ['Documents', count(documents)],
    ['Set aside', `${setAsideText(setAside.partitions)}${setAside.partitions === 0 ? '' : `, ${counted(setAside.events, 'event')}`}`],
    ['Service', service],
    ['Version', version],
  ] as const;
};

/** One read model: its facts, what can be done with it, and its paused partitions. */
export default function One({ parameters: { name = '' }, session }: ViewProps) {
  const path = pathOf('/ops/projections', name);
  const projection = useData((signal) => get<Projection>(path, {}, { signal }), [path], 2_000);
  const acting = useActing();
  return (
    <>
      <Up to={placeOf('/projections')} text="All projections" title={name} />
      <Outcome said={acting.said} error={acting.error} />
      <Loading of={projection}>
        {(data) => (
          <>
            <Facts of={factsOf(data)} />
            <SetAside
              projection={name}
              path={path}
              acting={acting}
              shown={mayOperate(session)}
              partitions={data.setAside.partitions}
              again={projection.again}
            />
            <LagOfHour pace={data.pace} />
            <ProjectionJobs name={name} acting={acting} shown={mayOperate(session)} underWay={data.rebuild} again={projection.again} />
            <Skips projection={name} path={path} partitions={data.setAside.partitions} />
          </>
        )}
      </Loading>
    </>
  );
}
