import { useData } from '../../api/use-data.js';
import { count } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { go, placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { AllSubscriptions } from './all-subscriptions.js';
import { loadProjects } from './load.js';
import { PastProjects } from './past.js';
import { listPlace, projectPlace } from './places.js';

const Projects = () => {
  const projects = useData(loadProjects, []);
  return (
    <List
      of={projects}
      rows={({ items }) => items}
      caption="Projects"
      columns={[
        { name: 'Project', show: ({ name }) => <a href={projectPlace(name)}>{name}</a> },
        { name: 'Description', show: ({ description }) => description },
        { name: 'Topics', end: true, show: ({ topics }) => count(topics) },
        { name: 'Subscriptions', end: true, show: ({ subscriptions }) => count(subscriptions) },
        { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} relative /> },
      ]}
      keyOf={({ name }) => name}
      empty="There is no project yet. The call POST /v1/projects/{project} creates one."
      note={({ items, total }) =>
        total > items.length && (
          <p class="quiet">
            The newest {count(items.length)} of {count(total)} are shown.
          </p>
        )
      }
    />
  );
};

/** All projects, or the subscriptions of all of them. */
const All = ({ query }: Pick<ViewProps, 'query'>) => {
  const isOfSubscriptions = query.get('tab') === 'subscriptions';
  return (
    <Tabs
      label="Messaging"
      names={['Projects', 'Subscriptions']}
      selected={isOfSubscriptions ? 'Subscriptions' : 'Projects'}
      onSelect={(chosen) => go(chosen === 'Projects' ? placeOf('/messaging') : listPlace(), true)}
    >
      {isOfSubscriptions ? <AllSubscriptions order={query.get('order') ?? ''} /> : <Projects />}
    </Tabs>
  );
};

/** What goes through the messaging service: its projects, and the subscriptions of all of them. */
export default function Messaging({ query }: ViewProps) {
  const asOf = useAsOf();
  return asOf === undefined ? <All query={query} /> : <PastProjects asOf={asOf} />;
}
