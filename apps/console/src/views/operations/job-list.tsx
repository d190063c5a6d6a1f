import { get, pathOf, send } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count, counted } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Progress } from '../../parts/progress.js';
import { State, toneOf } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** A job of any kind as it is shown. `path`: where it is cancelled; `null`: it cannot be. */
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
}>;

const MOST_SHOWN = 30;

type Work = Readonly<{ id: string; state: string; startedAt: string; endedAt: string | null; failure: unknown }>;

const messageIn = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'message' in failure ? `${failure.message}` : '';

const rowOf = (job: Work, collection: string, what: string, more: Partial<Pick<Row, 'done' | 'total' | 'note'>>): Row => ({
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

const load = async (signal: AbortSignal): Promise<readonly Row[]> => {
  const [rebuilds, verifications, backups, results] = await Promise.all([
    get<AnswerOf<'/ops/rebuilds'>>('/ops/rebuilds', {}, { signal }),
    get<AnswerOf<'/ops/verifications'>>('/ops/verifications', {}, { signal }),
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
    ...backups.items.map((job) => rowOf(job, '/ops/backups', `Backup into ${job.directory ?? '…'}`, {})),
    ...results.items.map(({ kind, report, tenant, from, to, days, state, since, recomputation }) => ({
      id: `${tenant} ${report} ${recomputation} ${from} ${to}`,
      what: `${kind === 'recomputation' ? 'Recomputation' : 'Results'} of ${report}, ${from} to ${to}`,
      state,
      startedAt: since,
      endedAt: null,
      done: days.done,
      total: days.total,
      note: 'in days',
      path: null,
    })),
  ];
  return [...rows].sort((one, other) => other.startedAt.localeCompare(one.startedAt)).slice(0, MOST_SHOWN);
};

const ProgressOf = ({ what, state, done, total }: Row) => {
  if (done === null) return null;
  if (state === 'running' || state === 'switching') return <Progress label={what} done={done} total={total} />;
  return <>{total === null ? count(done) : `${count(done)} of ${count(total)}`}</>;
};

/** What runs and ran lately, whoever has asked for it. */
export const JobList = ({ acting }: Readonly<{ acting: Acting }>) => {
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
      <Loading of={jobs}>
        {(rows) => (
          <Table
            caption="Jobs"
            rows={rows}
            keyOf={({ what, id }) => `${what} ${id}`}
            empty="Nothing has run in the last seven days."
            columns={[
              { name: 'Job', show: ({ what }) => what },
              { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
              { name: 'Progress', show: ProgressOf },
              { name: 'Result', show: ({ note }) => note },
              { name: 'Started', show: ({ startedAt }) => <Time at={startedAt} relative /> },
              { name: 'Ended', show: ({ endedAt }) => <Time at={endedAt} relative /> },
              {
                name: 'Actions',
                show: (row) =>
                  row.path && (
                    <button type="button" class="small" onClick={() => cancel(row)} aria-label={`Cancel: ${row.what}`}>
                      Cancel
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Loading>
    </section>
  );
};
