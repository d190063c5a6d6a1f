import { useState } from 'preact/hooks';
import { serverNow } from '../../api/server-time.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { Marked, OldestWaiting, PushCell } from './cells.js';
import { loadProject, type SourceNow, type SubscriptionNow, type TopicNow } from './load.js';
import { PastProject } from './past.js';
import { subscriptionPlace, topicPlace } from './places.js';
import { atLeast, backlogText, perSecond, troublesOf } from './texts.js';

const LIVE_MS = 5_000;
const PAGE = 100;
const MOST = 1_000;

/** Columns of the last hour. `note`: what the figure of a row counts instead. */
const lastHour = <Row,>(
  verb: string,
  figureOf: (row: Row) => number | null,
  note: (row: Row) => string = () => '',
): readonly Column<Row>[] => {
  const shown = (row: Row, show: (messages: number) => string): string => {
    const figure = figureOf(row);
    return figure === null ? '–' : show(figure);
  };
  return [
    { name: `${verb} in the last hour`, end: true, show: (row) => `${shown(row, count)}${note(row)}` },
    { name: 'Rate', end: true, show: (row) => shown(row, perSecond) },
  ];
};

const byName = <Row extends Readonly<{ name: string }>>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((one, other) => one.name.localeCompare(other.name));

type Known = Readonly<{
  project: string;
  topics: readonly TopicNow[];
  subscriptions: readonly SubscriptionNow[];
  more: boolean;
}>;

const Topics = ({ project, topics, subscriptions, more }: Known) => (
  <Table
    caption="Topics"
    heading
    columns={[
      { name: 'Topic', show: ({ name }) => <a href={topicPlace(project, name)}>{name}</a> },
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
    rows={byName(topics)}
    keyOf={({ name }) => name}
    empty="The project has no topic. The call PUT /v1/projects/{project}/topics/{topic} creates one."
  />
);

/** Topic of a subscription: the name stays when the topic is deleted. */
const TopicCell = ({ project, topics, more, name }: Omit<Known, 'subscriptions'> & Readonly<{ name: string }>) =>
  more || topics.some((topic) => topic.name === name) ? <a href={topicPlace(project, name)}>{name}</a> : <>{name}, which does not exist</>;

const LettersCell = ({ project, row }: Readonly<{ project: string; row: SubscriptionNow }>) => {
  const { name, deadLetterTopic: topic, deadLetters, deadLettersKept } = row;
  if (topic === null) return <span class="quiet">–</span>;
  if (deadLettersKept === true || deadLetters === null) return <State tone="bad">{`${topic} is gone: messages stay`}</State>;
  return (
    <>
      <a href={subscriptionPlace(project, name, 'dead-letters')}>{atLeast(deadLetters)}</a> in{' '}
      <a href={topicPlace(project, topic)}>{topic}</a>
    </>
  );
};

/** Those first that somebody has to look at. */
const Subscriptions = ({ subscriptions, ...known }: Known) => {
  const { project } = known;
  const now = serverNow();
  const rows = byName(subscriptions).map((row) => ({ ...row, troubles: troublesOf(row, now) }));
  return (
    <Table
      caption="Subscriptions"
      heading
      columns={[
        {
          name: 'Subscription',
          show: (row) => <Marked project={project} {...row} />,
        },
        { name: 'Backlog', end: true, show: backlogText },
        { name: 'Oldest waiting', show: (row) => <OldestWaiting {...row} /> },
        { name: 'Push', show: (row) => <PushCell {...row} /> },
        { name: 'Dead letters', show: (row) => <LettersCell project={project} row={row} /> },
        ...lastHour<SubscriptionNow>(
          'Delivered',
          ({ deliveredLastHour }) => deliveredLastHour,
          ({ push }) => (push ? ' attempted' : ''),
        ),
        { name: 'Topic', show: ({ topic }) => <TopicCell {...known} name={topic} /> },
      ]}
      rows={[...rows.filter(({ troubles }) => troubles.length > 0), ...rows.filter(({ troubles }) => troubles.length === 0)]}
      keyOf={({ name }) => name}
      empty="The project has no subscription. The call PUT /v1/projects/{project}/subscriptions/{subscription} creates one."
    />
  );
};

const Sources = ({ project, rows }: Readonly<{ project: string; rows: readonly SourceNow[] }>) => (
  <Table
    caption="Dead letters of metric sources"
    heading
    columns={[
      { name: 'Tenant', show: ({ tenant }) => <span title={tenant.id}>{tenant.name ?? 'deleted tenant'}</span> },
      { name: 'Subscription', show: ({ subscription }) => <a href={subscriptionPlace(project, subscription)}>{subscription}</a> },
      { name: 'Dead-lettered', end: true, show: ({ deadLettered }) => count(deadLettered) },
      { name: 'Topic', show: ({ deadLetterTopic: topic }) => (topic === null ? '–' : <a href={topicPlace(project, topic)}>{topic}</a>) },
      { name: 'Last error', show: ({ lastError }) => lastError?.reason ?? '–' },
    ]}
    rows={rows}
    keyOf={({ tenant }) => tenant.id}
    empty="No tenant takes metric data from this project."
  />
);

const Now = ({ project }: Readonly<{ project: string }>) => {
  const [limit, setLimit] = useState(PAGE);
  const live = useData((signal) => loadProject(project, limit, signal), [project, limit], LIVE_MS);
  return (
    <>
      <Up to={placeOf('/messaging')} text="All projects" title={project} />
      <Loading of={live}>
        {({ topics, subscriptions, more, metricSources }) => {
          const known = { project, topics, subscriptions, more };
          return (
            <>
              <Topics {...known} />
              <Subscriptions {...known} />
              {more && limit < MOST && <Button text="More" onClick={() => setLimit(Math.min(MOST, limit + PAGE))} />}
              {more && limit === MOST && <p class="quiet">The newest {count(MOST)} topics and subscriptions are shown.</p>}
              <Sources project={project} rows={metricSources} />
            </>
          );
        }}
      </Loading>
    </>
  );
};

/** What goes through a project now, or its topics and subscriptions of the past. */
export default function Project({ parameters: { project = '' } }: ViewProps) {
  const asOf = useAsOf();
  return asOf === undefined ? <Now project={project} /> : <PastProject project={project} asOf={asOf} />;
}
