import { ErrorNote } from '../../parts/error-note.js';
import { counted } from '../../parts/figures.js';
import { go, placeOf } from '../../place.js';
import { useAsOf } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { type Filters, filtersIn } from './filters.js';
import { MOST } from './items.js';
import { ChangeList } from './list.js';
import { Search } from './search.js';
import { useChanges } from './use-changes.js';

const emptyText = (filters: Filters, hasMore: boolean): string => {
  if (hasMore) return 'None of the newest changes passes these filters: “More” looks further back.';
  if (Object.keys(filters).length > 0) return 'No change passes these filters.';
  return 'Nothing has changed yet. Everything that is created, changed or deleted in a service stands here, with who did it.';
};

/** Changes of all services, newest first (console contract 6). */
export default function Changes({ query, session }: ViewProps) {
  const filters = filtersIn(query);
  const { shown, loading, error, more, again } = useChanges(filters, useAsOf());
  const { items, next } = shown;
  return (
    <>
      <Search filters={filters} onSearch={(found) => go(placeOf('/changes', found))} />
      {error !== undefined && <ErrorNote error={error} again={again} />}
      {items.length === 0 && !loading && error === undefined && <p class="empty">{emptyText(filters, next !== null)}</p>}
      {items.length > 0 && <ChangeList items={items} session={session} busy={loading} />}
      <p class="quiet" aria-live="off">
        {counted(items.length, 'change')} shown{items.length >= MOST ? ', the newest ones' : ''}
        {loading ? ' · Loading …' : ''}
      </p>
      {next !== null && (
        <button type="button" onClick={more} disabled={loading}>
          More
        </button>
      )}
    </>
  );
}
