import { get } from '../../api/client.js';
import { mayAudit, type Session } from '../../api/session.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { type Loaded, useData } from '../../api/use-data.js';
import { upTo } from '../../parts/instant.js';
import { Loading } from '../../parts/loading.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { actorPlace, messagingPlace, versionsPlace } from '../../records/places.js';
import { useAsOf } from '../../shell/as-of.js';

export type ChangeItem = ItemOf<'/audit/changes'>;
export type ChangesAnswer = AnswerOf<'/audit/changes'>;

/** Address of a record: of topics and subscriptions their page unless this deleted them, for operators the event in place of versions. */
const recordAddress = ({ record, place, index }: ChangeItem, session: Session): string => {
  const { kind = '', name, deleted } = record ?? {};
  const list = kind === 'topic' || kind === 'subscription' ? `${kind}s` : undefined;
  if (list && !deleted && name && place?.name) return messagingPlace(place.name, list, name);
  return record && mayAudit(session) ? versionsPlace(record) : placeOf(`/events/${index}`);
};

type ItemProps = Readonly<{ item: ChangeItem; session: Session }>;

export const Sentence = ({ item, session }: ItemProps) => (
  <span class="sentence">
    {item.parts.map(({ text, is }, at) => {
      const key = `${at} ${text}`;
      if (is === 'actor')
        return (
          <a key={key} href={actorPlace(item.actor, session)} title={item.actor.id}>
            {text}
          </a>
        );
      if (is === 'record')
        return (
          <a key={key} href={recordAddress(item, session)} title={item.record?.id}>
            {text}
          </a>
        );
      return (
        <span key={key} {...(is === 'place' && { title: item.place?.id })}>
          {text}
        </span>
      );
    })}
  </span>
);

/** Events of a list; a longer one has a link to all. */
const MOST = 200;

type Members = Readonly<{ correlation: string }> | Readonly<{ causation: string }>;

/** Events of a conversation, or those that followed from one, newest first; of the past those up to then. */
export const useConversation = (members: Members): Loaded<ChangesAnswer> => {
  const asOf = useAsOf();
  return useData(
    (signal) => get<ChangesAnswer>('/audit/changes', { ...members, ...upTo(asOf), reads: true, limit: MOST }, { signal }),
    [...Object.values(members), asOf],
  );
};

/** `chosen`: index of the event on whose page they are. `note`: behind the sentence that there are none. */
type SentencesProps = Readonly<{
  name: string;
  of: Loaded<ChangesAnswer>;
  members: Members;
  chosen?: number;
  note?: string;
  session: Session;
}>;

/** Each event with its sentence, oldest first. */
export const Sentences = ({ name, of, members, chosen, note, session }: SentencesProps) => (
  <Loading of={of}>
    {({ items, next }) => (
      <>
        {items.length === 0 ? (
          <p class="quiet">No event followed directly from it.{note}</p>
        ) : (
          // biome-ignore lint/a11y/noRedundantRoles: a list without marks is no list in Safari
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
        )}
        {next !== null && (
          <p>
            The newest {items.length} are shown. <a href={placeOf('/events', members)}>All of them</a>
          </p>
        )}
      </>
    )}
  </Loading>
);
