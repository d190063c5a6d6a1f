import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Facts } from '../../parts/facts.js';
import { count } from '../../parts/figures.js';
import { List, Loading } from '../../parts/loading.js';
import { Table } from '../../parts/table.js';
import { Tree } from '../../parts/tree.js';
import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import { versionsPlace } from '../../records/places.js';
import { type PastSubscription as Answer, lastPart, settingsOfPast } from './past-settings.js';
import { projectPlace, subscriptionPlace, topicPlace } from './places.js';
import { Settings } from './settings-shown.js';

const PAGE = 100;
const MOST = 1_000;

const NoFigures = () => <p class="quiet">The past has names and settings. Figures are of now only.</p>;

type Named = Readonly<{ name: string }>;

/** A page of topics or subscriptions. */
type Page = Readonly<{ topics?: readonly Named[]; subscriptions?: readonly Named[]; totalSize: number }>;

/** Columns and texts of a list of names. */
const namesOf = (column: string, placeOfRow: (name: string) => string) => ({
  caption: `${column}s`,
  heading: true,
  columns: [{ name: column, show: ({ name }: Named) => <a href={placeOfRow(lastPart(name))}>{lastPart(name)}</a> }],
  keyOf: ({ name }: Named) => name,
  empty: `There was no ${column.toLowerCase()} at this time.`,
});

export const PastProjects = ({ asOf }: Readonly<{ asOf: string }>) => {
  const found = useData((signal) => get<{ projects?: readonly Named[] }>('/v1/projects', {}, { asOf, signal }), [asOf]);
  return <List of={found} rows={({ projects = [] }) => projects} {...namesOf('Project', projectPlace)} note={NoFigures} />;
};

const Newest = ({ shown, total }: Readonly<{ shown: number; total: number }>) =>
  shown < total ? (
    <p class="quiet">
      The newest {count(shown)} of {count(total)} are shown.
    </p>
  ) : null;

/** The newest topics and subscriptions that a project had. */
export const PastProject = ({ project, asOf }: Readonly<{ project: string; asOf: string }>) => {
  const [pageSize, setPageSize] = useState(PAGE);
  const found = useData(
    async (signal) => {
      const ask = (list: string) => get<Page>(pathOf('/v1/projects', project, list), { pageSize }, { asOf, signal });
      const [{ topics = [], totalSize }, { subscriptions = [], ...others }] = await Promise.all([ask('topics'), ask('subscriptions')]);
      return { topics, subscriptions, totals: [totalSize, others.totalSize] as const };
    },
    [project, asOf, pageSize],
  );
  return (
    <>
      <Up to={placeOf('/messaging')} text="All projects" title={project} />
      <Loading of={found}>
        {({ topics, subscriptions, totals: [ofTopics, ofSubscriptions] }) => (
          <>
            <Table rows={topics} {...namesOf('Topic', (name) => topicPlace(project, name))} />
            <Newest shown={topics.length} total={ofTopics} />
            <Table rows={subscriptions} {...namesOf('Subscription', (name) => subscriptionPlace(project, name))} />
            <Newest shown={subscriptions.length} total={ofSubscriptions} />
            {pageSize < Math.min(MOST, Math.max(ofTopics, ofSubscriptions)) && (
              <Button text="More" onClick={() => setPageSize(pageSize + PAGE)} />
            )}
            <NoFigures />
          </>
        )}
      </Loading>
    </>
  );
};

type RecordProps = Readonly<{ project: string; name: string; asOf: string }>;

type FrameProps = Omit<RecordProps, 'asOf'> & Readonly<{ kind: 'topic' | 'subscription'; children: ComponentChildren }>;

const PastRecord = ({ project, kind, name, children }: FrameProps) => (
  <>
    <Up to={projectPlace(project)} text={`All of ${project}`} title={name} />
    {children}
    <NoFigures />
    <p>
      <a href={versionsPlace({ service: 'messaging', kind, id: name, scope: project })}>Versions of this {kind}</a>
    </p>
  </>
);

/** A topic as it was. */
export const PastTopic = ({ project, name, asOf, session }: RecordProps & Readonly<{ session: Session }>) => {
  const found = useData(
    (signal) => get<object>(pathOf('/v1/projects', project, 'topics', name), {}, { asOf, signal }),
    [project, name, asOf],
  );
  return (
    <PastRecord project={project} kind="topic" name={name}>
      <Loading of={found}>
        {(value) => (
          <div class="tree">
            <Tree value={value} open={3} ids={{ spot: { service: 'messaging' }, session }} />
          </div>
        )}
      </Loading>
    </PastRecord>
  );
};

/** A subscription as it was: its settings in words. */
export const PastSubscription = ({ project, name, asOf }: RecordProps) => {
  const found = useData(
    (signal) => get<Answer>(pathOf('/v1/projects', project, 'subscriptions', name), {}, { asOf, signal }),
    [project, name, asOf],
  );
  return (
    <PastRecord project={project} kind="subscription" name={name}>
      <Loading of={found}>
        {(subscription) => (
          <>
            <Facts of={[['Topic', <a href={topicPlace(project, lastPart(subscription.topic))}>{lastPart(subscription.topic)}</a>]]} />
            <Settings project={project} of={settingsOfPast(subscription)} />
          </>
        )}
      </Loading>
    </PastRecord>
  );
};
