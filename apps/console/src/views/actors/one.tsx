import { get, pathOf } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { CopyId } from '../../parts/copyable.js';
import { Facts } from '../../parts/facts.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { ActorName } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { Up } from '../../parts/up.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { ChangeFeed } from '../changes/feed.js';

/** What one actor did. */
export default function One({ parameters: { id = '' }, query, session }: ViewProps) {
  const kind = query.get('kind') ?? undefined;
  const actor = useData((signal) => get<AnswerOf<'/audit/actors/{id}'>>(pathOf('/audit/actors', id), { kind }, { signal }), [id, kind]);
  return (
    <>
      <Up to={placeOf('/actors')} text="All actors" />
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
}
