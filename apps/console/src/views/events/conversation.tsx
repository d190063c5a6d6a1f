import { get } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { type Loaded, useData } from '../../api/use-data.js';
import { Loading } from '../../parts/loading.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { Sentence } from '../changes/list.js';
import type { ReadableEvent } from './rows.js';

export type ChangesAnswer = AnswerOf<'/audit/changes'>;

/** Events of a list; a longer one has a link to all. */
const MOST = 200;

type Members = Readonly<{ correlation: string }> | Readonly<{ causation: string }>;

/** Events of a conversation, or those that followed from one, newest first. */
export const useConversation = (members: Members): Loaded<ChangesAnswer> =>
  useData((signal) => get<ChangesAnswer>('/audit/changes', { ...members, reads: true, limit: MOST }, { signal }), Object.values(members));

type SentencesProps = Readonly<{ name: string; of: Loaded<ChangesAnswer>; members: Members; chosen: number; session: Session }>;

/** Each event with its sentence, oldest first. */
export const Sentences = ({ name, of, members, chosen, session }: SentencesProps) => (
  <Loading of={of}>
    {({ items, next }) => (
      <>
        {items.length === 0 && <p class="quiet">none</p>}
        {/* biome-ignore lint/a11y/noRedundantRoles: a list without marks is no list in Safari */}
        <ul class="changes" role="list" aria-label={name}>
          {items.toReversed().map((item) => (
            <li key={item.key} {...(item.index === chosen && { 'aria-current': 'true' })}>
              <p>
                <Sentence item={item} session={session} /> <Time at={item.time} />{' '}
                <a href={placeOf(`/events/${item.index}`)} aria-label={`Event ${item.index}, ${item.type}`}>
                  #{item.index}
                </a>
              </p>
            </li>
          ))}
        </ul>
        {next !== null && (
          <p>
            The newest {items.length} are shown. <a href={placeOf('/events', members)}>All of them</a>
          </p>
        )}
      </>
    )}
  </Loading>
);

/** Link to the event or request that led to an event. */
export const CausedBy = ({ event, conversation }: Readonly<{ event: ReadableEvent; conversation: ChangesAnswer | undefined }>) => {
  const { causationId, requestId, correlationId } = event;
  if (causationId === undefined) return <span class="quiet">–</span>;
  const cause = conversation?.items.find(({ id, index }) => id === causationId && index !== event.index);
  if (cause)
    return (
      <a href={placeOf(`/events/${cause.index}`)} title={causationId}>
        {cause.sentence} (#{cause.index})
      </a>
    );
  const isRequest = causationId === requestId || (conversation !== undefined && conversation.next === null);
  return isRequest ? (
    <a href={placeOf('/events', { request: causationId })}>request {causationId}</a>
  ) : (
    <a href={placeOf('/events', { correlation: correlationId ?? '' })}>{causationId}</a>
  );
};
