import { go, placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { ChangeFeed } from './feed.js';
import { filtersIn } from './filters.js';
import { Search } from './search.js';

/** Changes of all services, newest first (console contract 6). */
export default function Changes({ query, session }: ViewProps) {
  const filters = filtersIn(query);
  return (
    <Search filters={filters} onSearch={(found) => go(placeOf('/changes', found))}>
      <ChangeFeed filters={filters} session={session} />
    </Search>
  );
}
