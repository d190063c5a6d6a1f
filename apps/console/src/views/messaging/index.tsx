import { useState } from 'preact/hooks';
import { encoded, get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Series } from '../../charts/series.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { headOfLog } from '../as-of.js';
import { resourcePlace } from '../resources/places.js';
import { backlogText } from './backlog-text.js';
import {
  type DeadLetters,
  loadLastHour,
  loadNow,
  loadOnce,
  type ProjectNow,
  type ProjectOnce,
  type SubscriptionNow,
  type TopicNow,
} from './load.js';

const LIVE_MS = 5_000;

const projectPlace = (project: string, topic?: string): string =>
  placeOf(`/messaging/${[project, ...(topic === undefined ? [] : [topic])].map(encoded).join('/')}`);

const Projects = () => {
  const projects = useData(
    async (signal) => get<AnswerOf<'/v1/projects'>>('/v1/projects', {}, { asOf: await headOfLog(signal), signal }),
    [],
  );
  return (
    <Loading of={projects}>
      {({ projects: found = [] }) => (
        <Table
          caption="Projects"
          columns={[
            { name: 'Project', show: ({ name }) => <a href={projectPlace(name)}>{name}</a> },
            { name: 'Description', show: ({ description = '' }) => description },
            { name: 'Created', show: ({ created_on }) => <Time at={created_on} relative /> },
          ]}
          rows={found}
          keyOf={({ name }) => name}
          empty="There is no project yet."
        />
      )}
    </Loading>
  );
};

const perSecond = (inHour: number): string => {
  const rate = inHour / 3_600;
  if (rate === 0) return '0 /s';
  return `${rate >= 10 ? rate.toFixed(0) : rate.toFixed(rate >= 0.1 ? 1 : 3)} /s`;
};

/** `once` comes later than `now`, which comes anew every few seconds. */
type Known = Readonly<{ project: string; now: ProjectNow; once: ProjectOnce | undefined }>;

/** Columns of the last hour. */
const lastHour = <Row,>(verb: string, figureOf: (row: Row) => number | null): readonly Column<Row>[] => {
  const shown = (row: Row, show: (messages: number) => string): string => {
    const figure = figureOf(row);
    return figure === null ? '–' : show(figure);
  };
  return [
    { name: `${verb} in the last hour`, end: true, show: (row) => shown(row, count) },
    { name: 'Rate', end: true, show: (row) => shown(row, perSecond) },
  ];
};

const Topics = ({ project, now: { topics, subscriptions, more } }: Known) => (
  <Table
    caption="Topics"
    heading
    columns={[
      { name: 'Topic', show: ({ name }) => <a href={projectPlace(project, name)}>{name}</a> },
      ...lastHour<TopicNow>('Published', ({ messagesLastHour }) => messagesLastHour),
      { name: 'Messages', end: true, show: ({ messages }) => count(messages) },
      { name: 'Size', end: true, show: ({ bytes: size }) => bytes(size) },
      {
        name: 'Subscriptions',
        end: true,
        show: ({ name }) => `${more ? '≥ ' : ''}${count(subscriptions.filter(({ topic }) => topic === name).length)}`,
      },
      { name: 'Last published', show: ({ publishedAt }) => <Time at={publishedAt} relative /> },
    ]}
    rows={topics}
    keyOf={({ name }) => name}
    empty="The project has no topic."
  />
);

const PushState = ({ row: { name, push }, once }: Readonly<{ row: SubscriptionNow; once: ProjectOnce | undefined }>) => {
  if (!push) return <span class="quiet">pull</span>;
  const state = once?.push.get(name);
  if (state === undefined) return <span class="quiet">push</span>;
  const isBad = /problem|fail|error|not verified|unable|could not/i.test(state);
  return <State tone={isBad ? 'bad' : 'good'}>{state}</State>;
};

/** The topic of dead letters, with how many there are in it. */
const DeadLetterTopic = ({ row, known }: Readonly<{ row: SubscriptionNow; known: Known }>) => {
  const { deadLetterTopic: topic, deadLettersKept } = row;
  if (topic === null) return <span class="quiet">–</span>;
  if (deadLettersKept === true) return <State tone="bad">{`${topic} is gone: messages stay`}</State>;
  const messages = known.now.topics.find(({ name }) => name === topic)?.messages;
  if (messages === undefined && !known.now.more) return <State tone="bad">{`${topic} is gone`}</State>;
  return (
    <>
      {messages === undefined ? '' : `${count(messages)} in `}
      <a href={projectPlace(known.project, topic)}>{topic}</a>
    </>
  );
};

const OldestWaiting = ({ backlog, oldestPublishedAt, exact }: SubscriptionNow) => {
  if (oldestPublishedAt === null) return backlog > 0 ? <span class="quiet">not known yet</span> : <Time at={null} />;
  return (
    <>
      {!exact && '≤ '}
      <Time at={oldestPublishedAt} relative />
    </>
  );
};

const Subscriptions = (known: Known) => (
  <Table
    caption="Subscriptions"
    heading
    columns={[
      {
        name: 'Subscription',
        show: ({ name }) => (
          <a href={resourcePlace({ service: 'messaging', kind: 'subscription', id: name, scope: known.project })}>{name}</a>
        ),
      },
      { name: 'Topic', show: ({ topic }) => topic },
      ...lastHour<SubscriptionNow>('Delivered', ({ deliveredLastHour }) => deliveredLastHour),
      { name: 'Backlog', end: true, show: backlogText },
      { name: 'Oldest not acknowledged', show: (row) => <OldestWaiting {...row} /> },
      { name: 'Push', show: (row) => <PushState row={row} once={known.once} /> },
      { name: 'Dead letters', show: (row) => <DeadLetterTopic row={row} known={known} /> },
    ]}
    rows={known.now.subscriptions}
    keyOf={({ name }) => name}
    empty="The project has no subscription."
  />
);

const Letters = ({ rows }: Readonly<{ rows: readonly DeadLetters[] }>) => (
  <Table
    caption="Dead letters of metric sources"
    heading
    columns={[
      { name: 'Tenant', show: ({ tenant }) => tenant },
      { name: 'Subscription', show: ({ source }) => source.subscription },
      { name: 'Dead-lettered', end: true, show: ({ source }) => count(source.dead_lettered) },
      { name: 'Topic', show: ({ source }) => source.dead_letter_topic },
      { name: 'Last error', show: ({ source }) => source.last_error?.reason ?? '–' },
    ]}
    rows={rows}
    keyOf={({ tenant }) => tenant}
    empty="No tenant takes metric data from this project."
  />
);

const Project = ({ project }: Readonly<{ project: string }>) => {
  const [pages, setPages] = useState(1);
  const live = useData((signal) => loadNow(project, pages, signal), [project, pages], LIVE_MS);
  const once = useData((signal) => loadOnce(project, pages, signal), [project, pages]);
  return (
    <>
      <p>
        <a href={placeOf('/messaging')}>All projects</a>
      </p>
      <h2>{project}</h2>
      <p class="quiet">
        Backlogs are live. The push state is a snapshot, because each read of it is audited.{' '}
        <button type="button" class="small" onClick={once.again} disabled={once.loading}>
          Refresh
        </button>
      </p>
      <Loading of={live}>
        {(now) => (
          <>
            <Topics project={project} now={now} once={once.data} />
            <Subscriptions project={project} now={now} once={once.data} />
            {now.more && (
              <button type="button" onClick={() => setPages(pages + 1)}>
                More
              </button>
            )}
          </>
        )}
      </Loading>
      <Loading of={once}>{({ letters }) => <Letters rows={letters} />}</Loading>
    </>
  );
};

const Topic = ({ project, topic }: Readonly<{ project: string; topic: string }>) => {
  const rates = useData((signal) => loadLastHour(project, topic, signal), [project, topic]);
  return (
    <>
      <p>
        <a href={projectPlace(project)}>All of {project}</a>
      </p>
      <h2>{topic}</h2>
      <Loading of={rates}>
        {({ times, published }) => (
          <Series
            title="Published in the last hour"
            unit="messages in 5 minutes"
            kind="bars"
            times={times}
            lines={[{ name: 'published', values: published }]}
          />
        )}
      </Loading>
      <p>
        <a href={resourcePlace({ service: 'messaging', kind: 'topic', id: topic, scope: project })}>Versions of this topic</a>
      </p>
    </>
  );
};

/** What goes through the messaging service: projects, one of them, one of its topics. */
export default function Messaging({ segments: [project, topic] }: ViewProps) {
  if (project === undefined) return <Projects />;
  return topic === undefined ? <Project key={project} project={project} /> : <Topic project={project} topic={topic} />;
}
