import { useState } from 'preact/hooks';
import { get, pathOf, send } from '../../api/client.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { useJob } from '../../api/use-job.js';
import { Button } from '../../parts/button.js';
import { count, counted } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Progress } from '../../parts/progress.js';
import { State, type Tone } from '../../parts/state.js';
import { Time } from '../../parts/time.js';

type Verification = AnswerOf<'/audit/verifications/{id}'>;

const toneOf = ({ state, intact }: Verification): Tone => {
  if (intact === false || state === 'failed') return 'bad';
  return state === 'running' ? 'busy' : intact === true ? 'good' : 'quiet';
};

/** In a few words, and what there is to say of it besides. */
const wordsOf = ({ state, intact, verifiedTo, expired, problem, failure }: Verification): readonly [words: string, more: string] => {
  if (problem) return [`damaged at index ${problem.index}`, problem.detail ?? ''];
  if (state === 'failed') return ['failed', failure?.message ?? ''];
  if (intact !== true) return [state, ''];
  const gone = expired > 0 ? `${count(expired)} of them without their data, which expired as configured: hashes prove them` : '';
  return [`intact: ${counted(verifiedTo, 'event')}`, gone];
};

const saidOf = (done: Verification): string => {
  const [words, more] = wordsOf(done);
  const all = [words, more, done.root === null ? '' : `root ${done.root}`].filter(Boolean).join(', ');
  return `${all.slice(0, 1).toUpperCase()}${all.slice(1)}`;
};

const OutcomeCell = ({ of }: Readonly<{ of: Verification }>) => {
  const [words, more] = wordsOf(of);
  return (
    <>
      <State tone={toneOf(of)}>{words}</State>
      {more && <div class="quiet">{more}</div>}
    </>
  );
};

/** Verifications of the whole log: the newest ones, and for auditors a new one. */
export const Verifications = ({ acting, mayBegin, onEnded }: Readonly<{ acting: Acting; mayBegin: boolean; onEnded: () => void }>) => {
  const list = useData((signal) => get<AnswerOf<'/audit/verifications'>>('/audit/verifications', {}, { signal }), []);
  const [begun, setBegun] = useState<string>();
  const id = begun ?? list.data?.items?.find(({ state }) => state === 'running')?.id;
  const job = useJob<Verification>(id === undefined ? null : pathOf('/audit/verifications', id), (done) => {
    setBegun(undefined);
    if (begun !== undefined) acting.say(saidOf(done));
    list.again();
    onEnded();
  });
  const begin = () =>
    acting.act(async () => {
      setBegun((await send<PostAnswerOf<'/audit/verifications'>>('POST', '/audit/verifications', {})).id);
      list.again();
      return '';
    });
  return (
    <>
      <h2>Verification</h2>
      {mayBegin && (
        <div class="buttons">
          <Button text="Verify now" class="primary" disabled={acting.busy || id !== undefined} onClick={begin} />
        </div>
      )}
      {job && <Progress label="Verification of the log" done={job.processed} total={job.total} />}
      <List
        of={list}
        rows={({ items = [] }) => items.slice(0, 10)}
        caption="Verifications, newest first"
        columns={[
          { name: 'Begun', show: ({ startedAt }) => <Time at={startedAt} /> },
          { name: 'Outcome', show: (one) => <OutcomeCell of={one} /> },
          { name: 'Root', show: ({ root }) => (root === null ? '–' : <code>{root}</code>) },
        ]}
        keyOf={({ id: of }) => of}
        empty="The log was not verified in the last seven days."
      />
    </>
  );
};
