import { useState } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import { mayAudit, type Session } from '../../api/session.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Loading } from '../../parts/loading.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { actorPlace, messagingPlace, versionsPlace } from '../../records/places.js';
import { Difference } from '../resources/difference-lines.js';

export type ChangeItem = ItemOf<'/audit/changes'>;

/** Address of a record: of topics and subscriptions that are still there their page, for operators the event in place of versions. */
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

const DifferenceOf = ({ item: { index }, session }: ItemProps) => {
  const found = useData(
    (signal) =>
      get<AnswerOf<'/audit/changes/{index}/difference'>>(pathOf('/audit/changes', `${index}`, 'difference'), {}, { signal, exact: true }),
    [index],
  );
  return (
    <Loading of={found}>
      {({ record: { service, scope }, before, after, dated, against }) => (
        <Difference
          before={before}
          after={after}
          {...(dated && { against })}
          ids={{ spot: { service, project: scope ?? undefined }, session }}
        />
      )}
    </Loading>
  );
};

type ListProps = Readonly<{ items: readonly ChangeItem[]; session: Session; busy: boolean }>;

/** One item a change; of one of them the difference is shown. */
export const ChangeList = ({ items, session, busy }: ListProps) => {
  const [open, setOpen] = useState<string>();
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a list without marks is no list in Safari
    <ul class="changes" role="list" aria-label="Changes" aria-busy={busy} aria-live="off">
      {items.map((item) => {
        const isOpen = item.key === open;
        return (
          <li key={item.key}>
            <p>
              <Sentence item={item} session={session} /> {item.day && <span class="quiet">from {item.day} on</span>}{' '}
              <Time at={item.time} relative />
              {item.changed && (
                <Button text="Difference" class="small" aria-expanded={isOpen} onClick={() => setOpen(isOpen ? undefined : item.key)} />
              )}
              {item.changed && (
                <a class="quiet" href={placeOf(`/events/${item.index}`)} title="the event, its cause and its effects">
                  Effects
                </a>
              )}
            </p>
            {isOpen && <DifferenceOf item={item} session={session} />}
          </li>
        );
      })}
    </ul>
  );
};
