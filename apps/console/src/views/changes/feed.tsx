import type { Session } from '../../api/session.js';
import { ErrorNote } from '../../parts/error-note.js';
import { counted } from '../../parts/figures.js';
import { useAsOf } from '../../shell/as-of.js';
import type { Filters } from './filters.js';
import { MOST } from './items.js';
import { ChangeList } from './list.js';
import { useChanges } from './use-changes.js';

const emptyText = ({ traffic, ...filters }: Filters, hasMore: boolean): string => {
  const hidden = traffic === 'true' ? '' : ' Messages published, pulled and acknowledged are hidden: tick “Show traffic” to see them.';
  if (hasMore) return `None of the newest changes passes these filters: “More” looks further back.${hidden}`;
  if (Object.keys(filters).length > 0) return `No change passes these filters.${hidden}`;
  return `Nothing has changed yet. Everything that is created, changed or deleted in a service stands here, with who did it.${hidden}`;
};

/** Changes that pass filters, newest first, page by page. */
export const ChangeFeed = ({ filters, session }: Readonly<{ filters: Filters; session: Session }>) => {
  const { shown, loading, error, more, again } = useChanges(filters, useAsOf());
  const { items, next } = shown;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} again={again} />}
      {items.length === 0 && !loading && error === undefined && <p class="empty">{emptyText(filters, next !== null)}</p>}
      {items.length > 0 && <ChangeList items={items} session={session} busy={loading} />}
      {(error === undefined || items.length > 0) && (
        <p class="quiet" aria-live="off">
          {counted(items.length, 'change')} shown{items.length >= MOST ? ', the newest ones' : ''}
          {loading ? ' · Loading …' : ''}
        </p>
      )}
      {next !== null && (
        <button type="button" onClick={more} disabled={loading}>
          More
        </button>
      )}
    </>
  );
};
