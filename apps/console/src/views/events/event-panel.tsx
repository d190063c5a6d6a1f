import { useLayoutEffect, useRef } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import { mayAudit, type Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Copyable } from '../../parts/copyable.js';
import { Facts } from '../../parts/facts.js';
import { Loading } from '../../parts/loading.js';
import { ActorName, NameOfRecord } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { Tree } from '../../parts/tree.js';
import { placeOf } from '../../place.js';
import type { ValuePlace } from '../../records/ids.js';
import { kindText } from '../../records/kind-text.js';
import { actorPlace, versionsPlace } from '../../records/places.js';
import { type ChangesAnswer, Sentences, useConversation } from '../changes/sentences.js';
import { usedText } from '../changes/used.js';
import { CausedBy } from './caused-by.js';
import { ResultOfEvent } from './result-of-event.js';
import { type EventItem, isReadable, type ReadableEvent } from './rows.js';

/** `result`: place of one of its results, which is shown first. */
type PanelProps = Readonly<{ index: number; result: number | undefined; session: Session; closeAddress: string }>;

/** Other events with the same value. */
const Same = ({ name, value }: Readonly<{ name: string; value: string | undefined }>) =>
  value ? <a href={placeOf('/events', { [name]: value })}>{value}</a> : <span class="quiet">–</span>;

const Actor = ({ event: { actor }, session }: Readonly<{ event: ReadableEvent; session: Session }>) => (
  <>
    <a href={actorPlace(actor, session)}>
      <ActorName actor={actor} />
    </a>{' '}
    <span class="quiet">({actor.kind})</span>
  </>
);

const Records = ({ index }: Readonly<{ index: number }>) => {
  const records = useData(
    (signal) => get<AnswerOf<'/audit/events/{index}/resources'>>(pathOf('/audit/events', `${index}`, 'resources'), {}, { signal }),
    [index],
  );
  return (
    <Loading of={records}>
      {({ items }) =>
        items.length === 0 ? (
          <span class="quiet">none</span>
        ) : (
          items.map((record) => (
            <div key={`${record.service} ${record.kind} ${record.id}`}>
              <a href={versionsPlace(record)}>
                {record.service} {kindText(record.kind)} <NameOfRecord {...record} />
              </a>
            </div>
          ))
        )
      }
    </Loading>
  );
};

const metadataOf = (event: ReadableEvent, session: Session, conversation: ChangesAnswer | undefined) =>
  [
    ['Time', <Time key="time" at={event.time} />],
    ['Stream', <Same key="stream" name="stream" value={event.stream} />],
    ['Revision', `${event.revision}`],
    ['Position', event.position],
    ['Actor', <Actor key="actor" event={event} session={session} />],
    ['Service', <Same key="service" name="service" value={event.service} />],
    ['Request', <Same key="request" name="request" value={event.requestId} />],
    ['Correlation', <Same key="correlation" name="correlation" value={event.correlationId} />],
    ['Caused by', <CausedBy key="cause" event={event} conversation={conversation} />],
    ['Schema version', `${event.schemaVersion ?? '–'}`],
    ...(event.traceparent ? ([['Trace', event.traceparent]] as const) : []),
    ['Id', <Copyable key="id" text={event.id} name="id of the event" />],
    ['Hash', <Copyable key="hash" text={event.hash} name="hash of the event" />],
  ] as const;

/** Streams of the records of messaging have the id of their project in place of the data. */
const spotOf = ({ stream }: ReadableEvent): ValuePlace => {
  const [category = '', project] = stream.split(/-(.*)/s);
  return { service: category.split('.')[0] ?? '', project: category === 'messaging.resources' ? project : undefined };
};

type ShownProps<Event> = Readonly<{ event: Event; result: number | undefined; session: Session }>;

const Readable = ({ event, result, session }: ShownProps<ReadableEvent>) => {
  const [conversation, followed] = [{ correlation: event.correlationId ?? '' }, { causation: event.id }];
  const [all, next] = [useConversation(conversation), useConversation(followed)];
  const lists = { chosen: event.index, session };
  return (
    <>
      {result !== undefined && <ResultOfEvent data={event.data} place={result} />}
      <h3>Data</h3>
      <div class="tree">
        <Tree value={event.data} open={3} ids={{ spot: spotOf(event), session }} />
      </div>
      <h3>Metadata</h3>
      <Facts of={metadataOf(event, session, all.data)} />
      <h3>Led to</h3>
      <Sentences name="Led to" of={next} members={followed} note={usedText(all.data?.items.find(({ id }) => id === event.id))} {...lists} />
      <h3>Conversation</h3>
      <Sentences name="Conversation" of={all} members={conversation} {...lists} />
      {mayAudit(session) && (
        <>
          <h3>Resources</h3>
          <Records index={event.index} />
        </>
      )}
    </>
  );
};

const Content = ({ event, ...rest }: ShownProps<EventItem>) => {
  if (isReadable(event)) return <Readable event={event} {...rest} />;
  const { hash } = event;
  return (
    <>
      <p>
        {'missing' in event
          ? 'The event is missing from the log, though its stream keeps all events.'
          : 'The event has left the log with the retention of its stream. Its hash stays in the chain.'}
      </p>
      {hash !== null && <Facts of={[['Hash', <Copyable key="hash" text={hash} name="hash of the event" />]]} />}
    </>
  );
};

/** One event beside the list. */
export const EventPanel = ({ index, result, session, closeAddress }: PanelProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const event = useData(
    (signal) => get<AnswerOf<'/audit/events/{index}'>>(pathOf('/audit/events', `${index}`), {}, { signal, exact: true }),
    [index],
  );
  useLayoutEffect(() => heading.current?.focus(), [index]);
  const title = event.data && 'type' in event.data ? event.data.type : 'Event';
  return (
    <section class="panel" aria-label={`Event ${index}`}>
      <div class="panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {title} <span class="quiet">#{index}</span>
        </h2>
        <a class="button" href={closeAddress}>
          Close
        </a>
      </div>
      <Loading of={event}>
        {(found) => (
          <>
            <Content event={found} result={result} session={session} />
            <p>
              <a href={placeOf(`/integrity/proofs/${index}`)}>Proof report</a>
            </p>
          </>
        )}
      </Loading>
    </section>
  );
};
