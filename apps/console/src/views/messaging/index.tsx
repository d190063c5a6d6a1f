import { useEffect } from 'preact/hooks';
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
import { PastProject, PastProjects, PastRecord } from './past.js';
import { listPlace, projectPlace, topicPlace } from './places.js';
import { Project } from './project.js';
import { Subscription } from './subscription.js';
import { Topic } from './topic.js';

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

/** Where topics were found before the second version of the console. */
const Moved = ({ project, topic }: Readonly<{ project: string; topic: string }>) => {
  useEffect(() => go(topicPlace(project, topic), true), [project, topic]);
  return null;
};

/** What goes through the messaging service: projects, one of them, one of its topics or subscriptions. */
export default function Messaging({ segments: [project, kind, name], query, session }: ViewProps) {
  const asOf = useAsOf();
  if (project === undefined) return asOf === undefined ? <All query={query} /> : <PastProjects asOf={asOf} />;
  if (kind === undefined)
    return asOf === undefined ? <Project key={project} project={project} /> : <PastProject project={project} asOf={asOf} />;
  if (name === undefined || (kind !== 'topics' && kind !== 'subscriptions')) return <Moved project={project} topic={kind} />;
  const key = `${project} ${kind} ${name}`;
  if (asOf !== undefined) return <PastRecord key={key} project={project} kind={kind} name={name} asOf={asOf} />;
  if (kind === 'topics') return <Topic key={key} project={project} name={name} session={session} />;
  return <Subscription key={key} project={project} name={name} tab={query.get('tab') ?? ''} session={session} />;
}
