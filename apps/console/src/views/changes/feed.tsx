import { get } from '../../api/client.js';
import { MOST } from '../../api/feed.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { useFeed } from '../../api/use-feed.js';
import { Button } from '../../parts/button.js';
import { ErrorNote } from '../../parts/error-note.js';
import { counted } from '../../parts/figures.js';
import { useAsOf } from '../../shell/as-of.js';
import { callQueryOf, type Filters } from './filters.js';
import { ChangeList } from './list.js';
import type { ChangeItem } from './sentences.js';

const LIVE_MS = 3_000;
const [PAGE, LIVE_PAGE] = [50, 200];

/** New ones come by themselves unless the past is shown. A folded one that has grown stands where its newest event is. */
const useChanges = (filters: Filters, asOf: string | undefined) => {
  const ask = (query: object, signal: AbortSignal) =>
    get<AnswerOf<'/audit/changes'>>('/audit/changes', { ...callQueryOf(filters), ...query }, { signal, asOf });
  return useFeed<ChangeItem>(JSON.stringify([filters, asOf]), {
    keyOf: ({ key }) => key,
    older: (after, signal) => ask({ limit: PAGE, after: after ?? undefined }, signal),
    newer: async (since, signal) => {
      const page = await ask({ since, limit: LIVE_PAGE }, signal);
      return page.next === null ? page : null;
    },
    everyMs: asOf === undefined ? LIVE_MS : undefined,
  });
};

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
      <p class="quiet" aria-live="off">
        {loading
          ? 'Loading …'
          : items.length > 0 && `${counted(items.length, 'change')} shown${items.length >= MOST ? ', the newest ones' : ''}`}
      </p>
      {next !== null && <Button text="More" onClick={more} disabled={loading} />}
    </>
  );
};
