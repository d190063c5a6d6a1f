import { useState } from 'preact/hooks';
import { mayAudit, type Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Series } from '../../charts/series.js';
import { Facts } from '../../parts/facts.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { versionsPlace } from '../../records/places.js';
import { DeadLetters } from './dead-letters.js';
import { loadTopic } from './load.js';
import { projectPlace, subscriptionPlace } from './places.js';
import { timesOf } from './subscription.js';

const LIVE_MS = 5_000;

type TopicProps = Readonly<{ project: string; name: string; session: Session }>;
type TopicState = Awaited<ReturnType<typeof loadTopic>>;

const Now = ({ project, topic }: Readonly<{ project: string; topic: TopicState }>) => {
  const { lastHour, messages, bytes: size, publishedAt, subscriptions } = topic;
  return (
    <>
      <Facts
        of={[
          ['Messages', `${count(messages)} ever published`],
          ['Size', bytes(size)],
          ['Last published', publishedAt === null ? 'never' : <Time at={publishedAt} relative />],
          [
            'Subscriptions',
            subscriptions.length === 0
              ? 'none'
              : subscriptions.map((name, at) => (
                  <>
                    {at > 0 && ', '}
                    <a href={subscriptionPlace(project, name)}>{name}</a>
                  </>
                )),
          ],
        ]}
      />
      {lastHour.counts === null ? (
        <p class="empty">What was published in the last hour is not known: this node has no history of it.</p>
      ) : (
        <Series
          title="Published in the last hour"
          unit="messages in 5 minutes"
          kind="bars"
          times={timesOf(lastHour, lastHour.counts.length)}
          lines={[{ name: 'published', values: lastHour.counts }]}
        />
      )}
    </>
  );
};

/** A topic; one of dead letters has them in a tab. */
export const Topic = ({ project, name, session }: TopicProps) => {
  const [tab, setTab] = useState('State');
  const topic = useData((signal) => loadTopic(project, name, signal), [project, name], LIVE_MS);
  return (
    <>
      <p>
        <a href={projectPlace(project)}>All of {project}</a>
      </p>
      <h2>{name}</h2>
      <Loading of={topic}>
        {(shown) =>
          shown.deadLetters === null ? (
            <Now project={project} topic={shown} />
          ) : (
            <Tabs label={`Topic ${name}`} names={['State', 'Dead letters']} selected={tab} onSelect={setTab}>
              {tab === 'State' ? (
                <Now project={project} topic={shown} />
              ) : (
                <DeadLetters of={{ project, kind: 'topics', name }} session={session} />
              )}
            </Tabs>
          )
        }
      </Loading>
      {mayAudit(session) && (
        <p>
          <a href={versionsPlace({ service: 'messaging', kind: 'topic', id: name, scope: project })}>Versions of this topic</a>
        </p>
      )}
    </>
  );
};
