import { useState } from 'preact/hooks';
import { mayAudit, type Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { LastHour } from '../../charts/last-hour.js';
import { Facts } from '../../parts/facts.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { Up } from '../../parts/up.js';
import { versionsPlace } from '../../records/places.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { DeadLetters } from './dead-letters.js';
import { loadTopic } from './load.js';
import { PastTopic } from './past.js';
import { projectPlace, subscriptionPlace } from './places.js';

const LIVE_MS = 5_000;
/** Subscriptions of a topic that a call names. */
const MOST_NAMED = 100;

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
              : [
                  subscriptions.map((name, at) => (
                    <>
                      {at > 0 && ', '}
                      <a href={subscriptionPlace(project, name)}>{name}</a>
                    </>
                  )),
                  subscriptions.length === MOST_NAMED && ' and perhaps older ones',
                ],
          ],
        ]}
      />
      {lastHour.counts === null ? (
        <p class="empty">What was published in the last hour is not known: this node has no history of it.</p>
      ) : (
        <LastHour
          title="Published in the last hour"
          unit="messages in 5 minutes"
          bins={lastHour}
          series={[{ name: 'published', values: lastHour.counts }]}
        />
      )}
    </>
  );
};

/** One of dead letters has them in a tab. */
const TopicNow = ({ project, name, session }: TopicProps) => {
  const [tab, setTab] = useState('State');
  const topic = useData((signal) => loadTopic(project, name, signal), [project, name], LIVE_MS);
  return (
    <>
      <Up to={projectPlace(project)} text={`All of ${project}`} title={name} />
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

/** A topic as it is now, or its settings in the past. */
export default function Topic({ parameters: { project = '', name = '' }, session }: ViewProps) {
  const asOf = useAsOf();
  if (asOf !== undefined) return <PastTopic project={project} name={name} asOf={asOf} session={session} />;
  return <TopicNow project={project} name={name} session={session} />;
}
