import type { ComponentChildren } from 'preact';
import { pushFails } from '#domain/messaging/push/push-state.js';
import { mayAudit, type Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { LastHour } from '../../charts/last-hour.js';
import { Facts } from '../../parts/facts.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { Up } from '../../parts/up.js';
import { go } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { ResourceRecord } from '../resources/record.js';
import { DeadLetters } from './dead-letters.js';
import { loadSubscription, type SubscriptionState } from './load.js';
import { PastSubscription } from './past.js';
import { projectPlace, subscriptionPlace, topicPlace } from './places.js';
import { Settings } from './settings-shown.js';
import { ageRows, consumersText, ELSEWHERE, rateText } from './texts.js';

/** So that what is shown is never older than two seconds, with the half second for which the server shares its answer. */
const LIVE_MS = 1_400;

const PushState = ({ push }: Pick<SubscriptionState, 'push'>) => {
  if (!push) return <>none, consumers pull</>;
  return <State tone={push.state === 'active' ? 'good' : 'bad'}>{push.state}</State>;
};

/** The last failure in sentences. Nothing is known of earlier ones where `since` is `null`. */
const PushError = ({ push, settings: { createdAt } }: Pick<SubscriptionState, 'push' | 'settings'>) => {
  if (push?.state === 'not verified')
    return (
      <span class="sentence">
        none: nothing is pushed before the call <code>:verifyPushEndpoint</code> succeeds. The subscription was created at{' '}
        <Time at={createdAt} /> (<Time at={createdAt} relative />
        ).
      </span>
    );
  if (!push?.lastError) return <>none</>;
  const { at, message, since } = push.lastError;
  if (since === null)
    return (
      <span class="sentence">
        The push
        {at !== null && (
          <>
            {' '}
            at <Time at={at} />
          </>
        )}{' '}
        failed: {message}.{push.error === null && ' Pushing has worked since.'}
      </span>
    );
  return (
    <span class="sentence">
      Every push has failed since <Time at={since} /> (<Time at={since} relative />
      ), the last one at <Time at={at} />: {message}. It is tried again by itself.
    </span>
  );
};

const factsOf = (project: string, state: SubscriptionState): readonly (readonly [string, ComponentChildren])[] => {
  const { topic, inNow, outNow, outstanding, pulledAt, users, acknowledgedUpTo } = state;
  return [
    ['Topic', topic.exists ? <a href={topicPlace(project, topic.name)}>{topic.name}</a> : `${topic.name}, which does not exist`],
    ['In now', rateText(inNow)],
    ['Out now', rateText(outNow, state.push ? 'attempted ' : '')],
    ['Consumers', consumersText(state)],
    ['Leased', outstanding === null ? ELSEWHERE : count(outstanding)],
    ...(state.push ? [] : [['Last pull', pulledAt === null ? 'never' : <Time at={pulledAt} relative />] as const]),
    ['Push', <PushState push={state.push} />],
    ['Last push error', <PushError {...state} />],
    ['Access', users.length === 0 ? 'nobody is listed' : users.join(', ')],
    ['Acknowledged up to', acknowledgedUpTo === null ? 'nothing yet' : `message ${acknowledgedUpTo}`],
  ];
};

const InAndOut = ({ lastHour, push, settings: { createdAt } }: SubscriptionState) => {
  const { published, delivered } = lastHour;
  if (published === null || delivered === null)
    return <p class="empty">In and out over the last hour is not known: this node has no history of it.</p>;
  return (
    <div>
      <LastHour
        title="In and out over the last hour"
        unit="messages in 5 minutes"
        bins={lastHour}
        series={[
          { name: 'published', values: published },
          { name: push ? 'attempted' : 'delivered', values: delivered },
        ]}
      />
      {Date.parse(createdAt) > Date.parse(lastHour.from) && (
        <p class="quiet">
          Created at <Time at={createdAt} />: it got nothing that was published before.
        </p>
      )}
      {pushFails(push?.state) && <p class="quiet">While its push fails, a message counts as attempted once a minute at most.</p>}
    </div>
  );
};

const Now = ({ project, name }: Readonly<{ project: string; name: string }>) => {
  const state = useData((signal) => loadSubscription(project, name, signal), [project, name], LIVE_MS);
  return (
    <Loading of={state}>
      {(shown) => (
        <>
          <Facts of={factsOf(project, shown)} />
          <div class="beside-chart">
            <Table
              caption="Backlog by age"
              heading
              columns={[
                { name: 'Age', show: ({ age }) => age },
                { name: 'Messages', end: true, show: ({ messages }) => messages },
              ]}
              rows={ageRows(shown.backlog)}
              keyOf={({ age }) => age}
            />
            <InAndOut {...shown} />
          </div>
          <Settings project={project} of={shown} />
        </>
      )}
    </Loading>
  );
};

const TABS: Readonly<Record<string, string>> = { '': 'State', 'dead-letters': 'Dead letters', versions: 'Versions' };

type SubscriptionProps = Readonly<{ project: string; name: string; tab: string; session: Session }>;

/** How it is, what it could not deliver, what was changed of it. */
const SubscriptionNow = ({ project, name, tab, session }: SubscriptionProps) => {
  const names = Object.values(TABS).filter((one) => one !== 'Versions' || mayAudit(session));
  const selected = names.find((one) => one === TABS[tab]) ?? 'State';
  const select = (chosen: string) => {
    const [found] = Object.entries(TABS).find(([, one]) => one === chosen) ?? [];
    go(subscriptionPlace(project, name, found), true);
  };
  const reference = { service: 'messaging', kind: 'subscription', id: name, scope: project };
  return (
    <>
      <Up to={projectPlace(project)} text={`All of ${project}`} title={name} />
      <Tabs label={`Subscription ${name}`} names={names} selected={selected} onSelect={select}>
        {selected === 'State' && <Now project={project} name={name} />}
        {selected === 'Dead letters' && <DeadLetters of={{ project, kind: 'subscriptions', name }} session={session} />}
        {selected === 'Versions' && <ResourceRecord reference={reference} asOf={undefined} session={session} />}
      </Tabs>
    </>
  );
};

/** A subscription as it is now, or its settings in the past. */
export default function Subscription({ parameters: { project = '', name = '' }, query, session }: ViewProps) {
  const asOf = useAsOf();
  if (asOf !== undefined) return <PastSubscription project={project} name={name} asOf={asOf} />;
  return <SubscriptionNow project={project} name={name} tab={query.get('tab') ?? ''} session={session} />;
}
