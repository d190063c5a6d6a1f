import { useEffect, useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Progress } from '../../parts/progress.js';
import { State, type Tone } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

type Verification = AnswerOf<'/audit/verifications/{id}'>;

/** While one runs. */
const POLL_MS = 1_000;

const toneOf = ({ state, intact }: Verification): Tone => {
  if (intact === false || state === 'failed') return 'bad';
  return state === 'running' ? 'busy' : intact === true ? 'good' : 'quiet';
};

const wordsOf = ({ state, intact, verifiedTo, expired, problem, failure }: Verification): string => {
  if (problem) return `damaged at index ${problem.index}: ${problem.detail}`;
  if (state === 'failed') return `failed: ${failure?.message ?? ''}`;
  if (intact !== true) return state;
  return `intact: ${count(verifiedTo)} events${expired > 0 ? `, ${count(expired)} of them without their data, which expired as configured: hashes prove them` : ''}`;
};

const saidOf = (done: Verification): string => {
  const words = wordsOf(done);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${done.root === null ? '' : `, root ${done.root}`}`;
};

/** Verifications of the whole log: the newest ones, and for auditors a new one. */
export const Verifications = ({ acting, mayBegin, onEnded }: Readonly<{ acting: Acting; mayBegin: boolean; onEnded: () => void }>) => {
  const list = useData((signal) => get<AnswerOf<'/audit/verifications'>>('/audit/verifications', {}, { signal }), []);
  const [running, setRunning] = useState<string>();
  const { say } = acting;
  const { again } = list;
  const begin = () =>
    acting.act(async () => {
      const { id } = await send<PostAnswerOf<'/audit/verifications'>>('POST', '/audit/verifications', {});
      setRunning(id);
      return '';
    });
  const items = list.data?.items ?? [];
  const job = items.find(({ id }) => id === running) ?? items.find(({ state }) => state === 'running');
  const isUnderWay = job?.state === 'running' || (running !== undefined && job === undefined);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(again, POLL_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, again]);
  useEffect(() => {
    if (running === undefined || !job || job.state === 'running') return;
    setRunning(undefined);
    say(saidOf(job));
    onEnded();
  }, [running, job, say, onEnded]);
  return (
    <>
      <h2>Verification</h2>
      {mayBegin && (
        <div class="buttons">
          <button type="button" class="primary" disabled={acting.busy || isUnderWay} onClick={begin}>
            Verify now
          </button>
        </div>
      )}
      {job?.state === 'running' && <Progress label="Verification of the log" done={job.processed} total={job.total} />}
      <Loading of={list}>
        {() => (
          <Table
            caption="Verifications, newest first"
            columns={[
              { name: 'Begun', show: ({ startedAt }) => <Time at={startedAt} /> },
              { name: 'Outcome', show: (one) => <State tone={toneOf(one)}>{wordsOf(one)}</State> },
              { name: 'Root', show: ({ root }) => (root === null ? '–' : <code>{root}</code>) },
            ]}
            rows={items.slice(0, 10)}
            keyOf={({ id }) => id}
            empty="The log was not verified in the last seven days."
          />
        )}
      </Loading>
    </>
  );
};
