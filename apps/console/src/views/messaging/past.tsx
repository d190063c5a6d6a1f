import { get, pathOf } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Loading } from '../../parts/loading.js';
import { Table } from '../../parts/table.js';
import { Tree } from '../../parts/tree.js';
import { placeOf } from '../../place.js';
import { projectPlace, subscriptionPlace, topicPlace } from './places.js';

const PAGE = 100;

/** The service shows names in full: `projects/p/topics/t`. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

type Named = Readonly<{ name: string }>;

type NamesProps = Readonly<{ caption: string; column: string; rows: readonly Named[]; placeOfRow: (name: string) => string }>;

const Names = ({ caption, column, rows, placeOfRow }: NamesProps) => (
  <Table
    caption={caption}
    heading
    columns={[{ name: column, show: ({ name }) => <a href={placeOfRow(lastPart(name))}>{lastPart(name)}</a> }]}
    rows={rows}
    keyOf={({ name }) => name}
    empty={`There was no ${column.toLowerCase()} at this time.`}
  />
);

export const PastProjects = ({ asOf }: Readonly<{ asOf: string }>) => {
  const found = useData((signal) => get<{ projects?: readonly Named[] }>('/v1/projects', {}, { asOf, signal }), [asOf]);
  return (
    <Loading of={found}>
      {({ projects = [] }) => <Names caption="Projects" column="Project" rows={projects} placeOfRow={projectPlace} />}
    </Loading>
  );
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
      <p>
        <a href={placeOf('/messaging')}>All projects</a>
      </p>
      <h2>{project}</h2>
      <Loading of={found}>
        {({ topics, subscriptions }) => (
          <>
            <Names caption="Topics" column="Topic" rows={topics} placeOfRow={(name) => topicPlace(project, name)} />
            <Names
              caption="Subscriptions"
              column="Subscription"
              rows={subscriptions}
              placeOfRow={(name) => subscriptionPlace(project, name)}
            />
          </>
        )}
      </Loading>
    </>
  );
};

type RecordProps = Readonly<{ project: string; kind: 'topics' | 'subscriptions'; name: string; asOf: string }>;

/** A topic or subscription as it was: its settings. Figures are of now only. */
export const PastRecord = ({ project, kind, name, asOf }: RecordProps) => {
  const found = useData(
    (signal) => get<object>(pathOf('/v1/projects', project, kind, name), {}, { asOf, signal }),
    [project, kind, name, asOf],
  );
  return (
    <>
      <p>
        <a href={projectPlace(project)}>All of {project}</a>
      </p>
      <h2>{name}</h2>
      <Loading of={found}>
        {(value) => (
          <div class="tree">
            <Tree value={value} open={3} />
          </div>
        )}
      </Loading>
    </>
  );
};
