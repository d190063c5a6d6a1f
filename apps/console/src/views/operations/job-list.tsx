import { get, pathOf, send } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { count, counted } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import { ActorName, Name } from '../../parts/name.js';
import type { Acting } from '../../parts/outcome.js';
import { Progress } from '../../parts/progress.js';
import { State, toneOf } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { recordPlace } from '../../records/places.js';

type ResultsRun = ItemOf<'/ops/results'>;

/** A job of any kind as it is shown. `path`: where it is cancelled; `null`: it cannot be. `results`: of a computation of results. */
type Row = Readonly<{
  id: string;
  what: string;
  state: string;
  startedAt: string;
  endedAt: string | null;
  done: number | null;
  total: number | null;
  note: string;
  path: string | null;
  results?: ResultsRun;
}>;

const MOST_SHOWN = 30;
/** Of those that wait, so that they leave room for others. */
const MOST_WAITING = 10;

/** Reasons of recomputations that have not begun, by state. */
const WAITING: Readonly<Record<string, string>> = { pending: 'waits for approval by the tenant', approved: 'waits for its turn' };

/** States of work that has ended. */
const ENDED = ['done', 'failed', 'cancelled'];

const hasEnded = ({ state }: Row): boolean => ENDED.includes(state);
const waits = ({ state }: Row): boolean => WAITING[state] !== undefined;

/** `hidden`: number of others. */
type Jobs = Readonly<{ shown: readonly Row[]; hidden: number }>;

type Work = Readonly<{ id: string; state: string; startedAt: string; endedAt: string | null; failure: unknown }>;

const messageIn = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'message' in failure ? `${failure.message}` : '';

const rowOf = (job: Work, collection: string, what: string, more: Partial<Pick<Row, 'done' | 'total' | 'note' | 'path'>>): Row => ({
  id: job.id,
  what,
  state: job.state,
  startedAt: job.startedAt,
  endedAt: job.endedAt,
  done: null,
  total: null,
  path: job.state === 'running' ? pathOf(collection, job.id) : null,
  ...more,
  note: messageIn(job.failure) || more.note || '',
});

const rowOfResults = (results: ResultsRun): Row => {
  const { kind, report, tenant, from, to, days, state, since, recomputation } = results;
  const reason = WAITING[state];
  return {
    id: `${tenant} ${report} ${recomputation} ${from} ${to}`,
    what: `${kind === 'recomputation' ? 'Recomputation' : 'Results'} of ${report}, ${from} to ${to}`,
    state,
    startedAt: since,
    endedAt: null,
    done: reason ? null : days.done,
    total: days.total,
    note: reason ?? 'in days',
    path: null,
    results,
  };
};

/** First what is under way, then what waits, then what has ended, each the newest first. */
const load = async (signal: AbortSignal): Promise<Jobs> => {
  const [rebuilds, verifications, ofLog, backups, results] = await Promise.all([
    get<AnswerOf<'/ops/rebuilds'>>('/ops/rebuilds', {}, { signal }),
    get<AnswerOf<'/ops/verifications'>>('/ops/verifications', {}, { signal }),
    get<AnswerOf<'/audit/verifications'>>('/audit/verifications', {}, { signal }),
    get<AnswerOf<'/ops/backups'>>('/ops/backups', {}, { signal }),
    get<AnswerOf<'/ops/results'>>('/ops/results', {}, { signal }),
  ]);
  const rows: readonly Row[] = [
    ...rebuilds.items.map((job) => rowOf(job, '/ops/rebuilds', `Rebuild of ${job.projection}`, { done: job.processed, total: job.total })),
    ...verifications.items.map((job) =>
      rowOf(job, '/ops/verifications', `Verification of ${job.projection}`, {
        done: job.processed,
        total: job.total,
        note: job.equal === null ? '' : job.equal ? 'equal' : counted(job.differenceCount ?? 0, 'difference'),
      }),
    ),
    ...(ofLog.items ?? []).map((job) =>
      rowOf(job, '/audit/verifications', 'Verification of the log', {
        done: job.processed,
        total: job.total,
        note: job.intact === null ? '' : job.intact ? 'intact' : 'damaged',
        path: null,
      }),
    ),
    ...backups.items.map((job) => rowOf(job, '/ops/backups', `Backup into ${job.directory ?? '…'}`, {})),
    ...results.items.map(rowOfResults),
  ];
  const newest = [...rows].sort((one, other) => other.startedAt.localeCompare(one.startedAt));
  const waiting = newest.filter(waits);
  const running = newest.filter((row) => !waits(row) && !hasEnded(row));
  const shown = [...running, ...waiting.slice(0, MOST_WAITING), ...newest.filter(hasEnded)].slice(0, MOST_SHOWN);
  const all = rows.length - waiting.length + Math.max(waiting.length, results.recomputationsWaiting ?? 0);
  return { shown, hidden: all - shown.length };
};

const ProgressOf = ({ what, state, done, total }: Row) => {
  if (done === null) return null;
  if (state === 'running' || state === 'switching') return <Progress label={what} done={done} total={total} />;
  return <div>{total === null ? count(done) : `${count(done)} of ${count(total)}`}</div>;
};

const Job = ({ what, results, session }: Row & Readonly<{ session: Session }>) => {
  if (!results) return <>{what}</>;
  const { recomputation, tenant, askedBy } = results;
  return (
    <>
      {/* Alone in its cell the link would stay in one line (tables.css). */}
      <span>
        {recomputation === null ? (
          what
        ) : (
          <a href={recordPlace({ service: 'status', kind: 'recomputation', id: recomputation }, session)}>{what}</a>
        )}
      </span>
      <span class="quiet">
        {' in '}
        <Name kind="status.tenant" id={tenant} />
        {askedBy && (
          <>
            , asked for by <ActorName actor={askedBy} />
          </>
        )}
      </span>
    </>
  );
};

/** Work that waits, runs, or ended lately, whoever has asked for it. */
export const JobList = ({ acting, session }: Readonly<{ acting: Acting; session: Session }>) => {
  const jobs = useData(load, [], 2_000);
  const cancel = ({ path, what }: Row) =>
    acting.act(async () => {
      if (path) await send('DELETE', path);
      jobs.again();
      return `Cancelled: ${what}.`;
    });
  return (
    <section>
      <h2>Jobs</h2>
      <List
        of={jobs}
        rows={({ shown }) => shown}
        caption="Jobs"
        keyOf={({ what, id }) => `${what} ${id}`}
        empty="Nothing has run in the last seven days."
        columns={[
          { name: 'Job', show: (row) => <Job {...row} session={session} /> },
          {
            name: 'State',
            show: (row) => (
              <>
                <State tone={toneOf(row.state)}>{row.state}</State>
                {row.path && (
                  <div>
                    <Button text="Cancel" class="small" onClick={() => cancel(row)} aria-label={`Cancel: ${row.what}`} />
                  </div>
                )}
              </>
            ),
          },
          {
            name: 'Result',
            show: (row) => (
              <>
                <ProgressOf {...row} />
                {row.note}
                {waits(row) && (
                  <>
                    {' '}
                    since <Time at={row.startedAt} />
                  </>
                )}
              </>
            ),
          },
          { name: 'Started', show: (row) => <Time at={waits(row) ? null : row.startedAt} relative /> },
          { name: 'Ended', show: ({ endedAt }) => <Time at={endedAt} relative /> },
        ]}
        note={({ hidden }) =>
          hidden > 0 && (
            <p class="quiet">
              {counted(hidden, 'more job is', 'more jobs are')} not shown: first comes what is under way, then what waits, then what ended
              last.
            </p>
          )
        }
      />
    </section>
  );
};
