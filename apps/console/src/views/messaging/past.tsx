import { get, pathOf } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { List, Loading } from '../../parts/loading.js';
import { Table } from '../../parts/table.js';
import { Tree } from '../../parts/tree.js';
import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import { projectPlace, subscriptionPlace, topicPlace } from './places.js';

const PAGE = 100;

/** The service shows names in full: `projects/p/topics/t`. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

type Named = Readonly<{ name: string }>;

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
  return <List of={found} rows={({ projects = [] }) => projects} {...namesOf('Project', projectPlace)} />;
};

/** The newest topics and subscriptions that a project had. */
export const PastProject = ({ project, asOf }: Readonly<{ project: string; asOf: string }>) => {
  const found = useData(
    async (signal) => {
      const ask = <Answer,>(list: string) => get<Answer>(pathOf('/v1/projects', project, list), { pageSize: PAGE }, { asOf, signal });
      const [{ topics = [] }, { subscriptions = [] }] = await Promise.all([
        ask<{ topics?: readonly Named[] }>('topics'),
        ask<{ subscriptions?: readonly Named[] }>('subscriptions'),
      ]);
      return { topics, subscriptions };
    },
    [project, asOf],
  );
  return (
    <>
      <Up to={placeOf('/messaging')} text="All projects" title={project} />
      <Loading of={found}>
        {({ topics, subscriptions }) => (
          <>
            <Table rows={topics} {...namesOf('Topic', (name) => topicPlace(project, name))} />
            <Table rows={subscriptions} {...namesOf('Subscription', (name) => subscriptionPlace(project, name))} />
          </>
        )}
      </Loading>
    </>
  );
};

type RecordProps = Readonly<{ project: string; kind: 'topics' | 'subscriptions'; name: string; asOf: string; session: Session }>;

/** A topic or subscription as it was: its settings. Figures are of now only. */
export const PastRecord = ({ project, kind, name, asOf, session }: RecordProps) => {
  const found = useData(
    (signal) => get<object>(pathOf('/v1/projects', project, kind, name), {}, { asOf, signal }),
    [project, kind, name, asOf],
  );
  return (
    <>
      <Up to={projectPlace(project)} text={`All of ${project}`} title={name} />
      <Loading of={found}>
        {(value) => (
          <div class="tree">
            <Tree value={value} open={3} ids={{ spot: { service: 'messaging' }, session }} />
          </div>
        )}
      </Loading>
    </>
  );
};
