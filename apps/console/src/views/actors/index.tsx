import { useState } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { CopyId } from '../../parts/copyable.js';
import { Facts } from '../../parts/facts.js';
import { Choice } from '../../parts/field.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { ActorName } from '../../parts/name.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { actorPlace } from '../../records/places.js';
import type { ViewProps } from '../../shell/view.js';
import { ChangeFeed } from '../changes/feed.js';

type Actor = ItemOf<'/audit/actors'>;

const PAGE = 100;

const loadPages = async (
  kind: string,
  pages: number,
  signal: AbortSignal,
): Promise<Readonly<{ items: readonly Actor[]; more: boolean }>> => {
  const items: Actor[] = [];
  let next: string | null | undefined;
  for (let page = 0; page < pages && next !== null; page += 1) {
    const found = await get<AnswerOf<'/audit/actors'>>('/audit/actors', { kind, limit: PAGE, after: next }, { signal });
    items.push(...found.items);
    next = found.next;
  }
  return { items, more: next !== null };
};

const All = ({ session }: Readonly<{ session: Session }>) => {
  const [kind, setKind] = useState('');
  const [pages, setPages] = useState(1);
  const actors = useData((signal) => loadPages(kind, pages, signal), [kind, pages]);
  return (
    <>
      <div class="fields">
        <Choice
          label="Kind"
          value={kind}
          onValue={(found) => {
            setKind(found);
            setPages(1);
          }}
          options={[
            ['', 'all'],
            ['key', 'keys'],
            ['user', 'users'],
            ['system', 'the system'],
          ]}
        />
      </div>
      <Loading of={actors}>
        {({ items, more }) => (
          <>
            <Table
              caption="Actors"
              columns={[
                {
                  name: 'Actor',
                  show: (one) => (
                    <a href={actorPlace(one.actor, session)}>
                      <ActorName actor={one.actor} />
                    </a>
                  ),
                },
                { name: 'Kind', show: ({ actor }) => actor.kind },
                { name: 'Services', show: ({ services }) => services.join(', ') },
                { name: 'Events', end: true, show: ({ events }) => count(events) },
                { name: 'First', show: ({ firstSeen }) => <Time at={firstSeen} relative /> },
                { name: 'Last', show: ({ lastSeen }) => <Time at={lastSeen} relative /> },
              ]}
              rows={[...items].sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1))}
              keyOf={({ actor: { kind: of, id } }) => `${of} ${id}`}
              empty="Nobody did anything yet."
            />
            {more && (
              <button type="button" onClick={() => setPages(pages + 1)}>
                More
              </button>
            )}
          </>
        )}
      </Loading>
    </>
  );
};

type OneProps = Readonly<{ id: string; kind: string | undefined; session: Session }>;

const One = ({ id, kind, session }: OneProps) => {
  const actor = useData((signal) => get<AnswerOf<'/audit/actors/{id}'>>(pathOf('/audit/actors', id), { kind }, { signal }), [id, kind]);
  return (
    <>
      <p>
        <a href={placeOf('/actors')}>All actors</a>
      </p>
      <Loading of={actor}>
        {({ actor: found, firstSeen, lastSeen, events, services }) => (
          <>
            <h2>
              <ActorName actor={found} /> <CopyId id={found.id} />
            </h2>
            <Facts
              of={[
                ['Kind', found.kind],
                [
                  'Events',
                  <a key="events" href={placeOf('/events', { actor: found.id })}>
                    {count(events)}
                  </a>,
                ],
                ['Services', services.join(', ')],
                ['First seen', <Time key="first" at={firstSeen} />],
                ['Last seen', <Time key="last" at={lastSeen} />],
              ]}
            />
            <h3>Changes, newest first</h3>
            <p>
              <a href={placeOf('/changes', { actor: found.id })}>Choose by day, kind or text</a>
            </p>
            <ChangeFeed filters={{ actor: found.id, reads: 'true', traffic: 'true' }} session={session} />
          </>
        )}
      </Loading>
    </>
  );
};

/** Who did what, and when last. */
export default function Actors({ segments: [id], query, session }: ViewProps) {
  return id === undefined ? <All session={session} /> : <One key={id} id={id} kind={query.get('kind') ?? undefined} session={session} />;
}
