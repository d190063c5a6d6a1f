import { useState } from 'preact/hooks';
import { get } from '../../api/client.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Choice } from '../../parts/fields/field.js';
import { count } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import { ActorName } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { actorPlace } from '../../records/places.js';
import type { ViewProps } from '../../shell/view.js';

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

/** The actors of the log, with what each did and when last. */
export default function Actors({ session }: ViewProps) {
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
      <List
        of={actors}
        rows={({ items }) => [...items].sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1))}
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
        keyOf={({ actor: { kind: of, id } }) => `${of} ${id}`}
        empty="Nobody did anything yet."
        note={() => <p class="quiet">A key of accounting acts as a user there: it is listed among the users.</p>}
        more={({ more }) => more && (() => setPages(pages + 1))}
      />
    </>
  );
}
