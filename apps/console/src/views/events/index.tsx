import { useState } from 'preact/hooks';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { ErrorNote } from '../../parts/error-note.js';
import { go, placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { EventPanel } from './event-panel.js';
import { filtersIn, queryOf } from './filters.js';
import { EventList } from './list.js';
import { Search } from './search.js';
import { useEventRows } from './use-rows.js';
import { loadVocabulary, MOST_TYPES, NO_NAMES, spelledOut } from './vocabulary.js';

const numberIn = (text: string | null | undefined): number | undefined => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** What happened: a search, its rows, and one event beside them (`/events/{index}`). */
export default function Events({ parameters: { index: given }, query, session }: ViewProps) {
  const [isOn, setFollowing] = useState(false);
  const asOf = useAsOf();
  const following = isOn && asOf === undefined;
  const filters = filtersIn(query);
  const asked = queryOf(filters);
  const vocabulary = useData(loadVocabulary, []);
  const isSpelled = vocabulary.data !== undefined || vocabulary.error !== undefined || !(query.has('type') || query.has('category'));
  const spelled = isSpelled ? spelledOut(asked, vocabulary.data ?? NO_NAMES) : null;
  const isTooWide = spelled !== null && spelled.getAll('type').length > MOST_TYPES; // the field says so
  const { shown, loading, error, more, again } = useEventRows(isTooWide ? null : spelled, following, asOf);
  const failure = error ?? vocabulary.error;
  const follow = () => {
    setFollowing(!following);
    if (!following && shown.before) again(); // it goes on from the newest row
  };
  const index = numberIn(given);
  return (
    <>
      <Search
        filters={filters}
        vocabulary={vocabulary.data}
        onSearch={(found) => {
          const searched = queryOf(found);
          go(placeOf('/events', searched));
          if (`${searched}` === `${asked}`) again();
        }}
      >
        {asOf === undefined && <Button text="Follow" aria-pressed={following} onClick={follow} />}
        {following && <span class="quiet at-button">New events come by themselves.</span>}
      </Search>
      {!isTooWide && failure !== undefined && (
        <ErrorNote
          error={failure}
          again={() => {
            if (error !== undefined) again();
            if (vocabulary.error !== undefined) vocabulary.again();
          }}
        />
      )}
      <div class={index === undefined ? '' : 'beside'}>
        <div>
          {!isTooWide && (error === undefined || shown.items.length > 0) && (
            <EventList
              rows={shown}
              loading={loading}
              chosen={index}
              addressOf={(one) => placeOf(`/events/${one}`, asked)}
              onMore={more}
              onNewest={again}
            />
          )}
        </div>
        {index !== undefined && (
          <EventPanel index={index} result={numberIn(query.get('result'))} session={session} closeAddress={placeOf('/events', asked)} />
        )}
      </div>
    </>
  );
}
