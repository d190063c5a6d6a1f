import { encoded, get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Series } from '../../charts/series.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../shell/place.js';
import type { ViewProps } from '../../shell/view.js';
import { headOfLog } from '../as-of.js';
import { loadDeadLetters, loadRates, loadSubscriptions, loadTopics, MOST, momentsOf, type SubscriptionRow, type TopicRow } from './load.js';

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

const Topics = ({ project, rows }: Readonly<{ project: string; rows: readonly TopicRow[] }>) => (
  <Table
    caption="Topics"
    heading
    columns={[
      { name: 'Topic', show: ({ name }) => <a href={projectPlace(project, name)}>{name}</a> },
      { name: 'Last hour', end: true, show: ({ lastHour }) => count(lastHour) },
      { name: 'Rate', end: true, show: ({ lastHour }) => perSecond(lastHour) },
      { name: 'Messages', end: true, show: ({ messages }) => count(messages) },
      { name: 'Size', end: true, show: ({ bytes: size }) => bytes(size) },
      { name: 'Subscriptions', end: true, show: ({ subscriptions }) => count(subscriptions) },
      { name: 'Last published', show: ({ published }) => <Time at={published} relative /> },
    ]}
    rows={rows}
    keyOf={({ name }) => name}
    empty="The project has no topic."
  />
);

const PushState = ({ row: { push, pushed } }: Readonly<{ row: SubscriptionRow }>) => {
  if (!pushed) return <span class="quiet">{push}</span>;
  const isBad = /problem|fail|error|not verified|unable|could not/i.test(push);
  return <State tone={isBad ? 'bad' : 'good'}>{push}</State>;
};

/** The topic of dead letters, with how many there are in it. */
const DeadLetterTopic = ({ project, topic, topics }: Readonly<{ project: string; topic: string | null; topics: readonly TopicRow[] }>) => {
  if (topic === null) return <span class="quiet">–</span>;
  const messages = topics.find(({ name }) => name === topic)?.messages;
  return (
    <>
      {messages === undefined ? '' : `${count(messages)} in `}
      <a href={projectPlace(project, topic)}>{topic}</a>
    </>
  );
};

type SubscriptionsProps = Readonly<{ project: string; rows: readonly SubscriptionRow[]; topics: readonly TopicRow[] }>;

const Subscriptions = ({ project, rows, topics }: SubscriptionsProps) => (
  <Table
    caption="Subscriptions"
    heading
    columns={[
      { name: 'Subscription', show: ({ name }) => name },
      { name: 'Topic', show: ({ topic }) => topic },
      { name: 'Last hour', end: true, show: ({ lastHour }) => count(lastHour) },
      { name: 'Rate', end: true, show: ({ lastHour }) => perSecond(lastHour) },
      { name: 'Backlog', end: true, show: ({ backlog, oneByOne }) => `${oneByOne && backlog > 0 ? '≤ ' : ''}${count(backlog)}` },
      { name: 'Oldest not acknowledged', show: ({ oldest }) => <Time at={oldest} relative /> },
      { name: 'Push', show: (row) => <PushState row={row} /> },
      { name: 'Dead letters', show: ({ deadLetterTopic: topic }) => <DeadLetterTopic project={project} topic={topic} topics={topics} /> },
    ]}
    rows={rows}
    keyOf={({ name }) => name}
    empty="The project has no subscription."
  />
);

const DeadLetters = ({ rows }: Readonly<{ rows: Awaited<ReturnType<typeof loadDeadLetters>> }>) => (
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
  const found = useData(
    async (signal) => {
      const moments = await momentsOf(signal);
      const [topics, subscriptions, letters] = [
        await loadTopics(project, moments),
        await loadSubscriptions(project, moments),
        await loadDeadLetters(project, moments),
      ];
      return { topics, subscriptions, letters };
    },
    [project],
  );
  return (
    <>
      <p>
        <a href={placeOf('/messaging')}>All projects</a>
      </p>
      <h2>{project}</h2>
      <div class="buttons">
        <button type="button" onClick={found.again} disabled={found.loading}>
          Read again
        </button>
      </div>
      <Loading of={found}>
        {({ topics, subscriptions, letters }) => (
          <>
            <Topics project={project} rows={topics} />
            <Subscriptions project={project} rows={subscriptions} topics={topics} />
            <DeadLetters rows={letters} />
            {[topics, subscriptions].some(({ length }) => length >= MOST) && <p class="quiet">The first {MOST} of each are shown.</p>}
          </>
        )}
      </Loading>
    </>
  );
};

const Topic = ({ project, topic }: Readonly<{ project: string; topic: string }>) => {
  const rates = useData((signal) => loadRates(project, topic, signal), [project, topic]);
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
        <a href={placeOf(`/resources/messaging/topic/${encoded(topic)}`, { scope: project })}>Versions of this topic</a>
      </p>
    </>
  );
};

/** What goes through the messaging service: projects, one of them, one of its topics. Read as auditors do, so that each read is in the log. */
export default function Messaging({ segments: [project, topic] }: ViewProps) {
  if (project === undefined) return <Projects />;
  return topic === undefined ? <Project key={project} project={project} /> : <Topic project={project} topic={topic} />;
}
