import { useRef, useState } from 'preact/hooks';
import { get, pathOf, send } from '../../api/client.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { isUnderWay, useJob } from '../../api/use-job.js';
import { Button } from '../../parts/button.js';
import { ErrorNote } from '../../parts/error-note.js';
import { count, counted, duration } from '../../parts/figures.js';
import { type Acting, isOpen } from '../../parts/outcome.js';
import { Progress } from '../../parts/progress.js';
import { Table } from '../../parts/table.js';

type Rebuild = AnswerOf<'/ops/rebuilds/{id}'>;
type Verification = AnswerOf<'/ops/verifications/{id}'>;
type Job = Rebuild | Verification;

const REBUILDS = '/ops/rebuilds';
const VERIFICATIONS = '/ops/verifications';

const isVerification = (job: Job): job is Verification => 'compared' in job;

const secondsOf = ({ startedAt, endedAt }: Job): number => (endedAt ? (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000 : 0);

/** The outcome of a job in one sentence. A rebuild tries failing events again. @param paused partitions of the projection now */
const outcomeOf = (job: Job, paused: number): string => {
  const noun = isVerification(job) ? 'Verification' : 'Rebuild';
  if (job.state === 'cancelled') return `${noun} of ${job.projection} cancelled; what is served stays as it was.`;
  if (job.state === 'failed') return `${noun} of ${job.projection} failed: ${job.failure?.message ?? 'the log of the server says why'}`;
  if (!isVerification(job)) {
    const stay = paused > 0 ? `; ${counted(paused, 'partition stays', 'partitions stay')} paused` : '';
    return `Rebuilt ${job.projection} from ${counted(job.processed ?? 0, 'event')} in ${duration(secondsOf(job))}${stay}.`;
  }
  if (job.equal) return `Equal: ${counted(job.compared ?? 0, 'document')} of ${job.projection} compared at position ${job.position}.`;
  return `${counted(job.differenceCount ?? 0, 'difference')} in ${job.projection} at position ${job.position}.`;
};

/** `isJob`: it was asked for as a job, and can be cancelled; no rebuild is one that a new version or a resume has begun. */
type UnderWay = Readonly<{ href: string; isJob: boolean }>;

/** The newest work on the projection that is under way; `underWay`: the rebuild, which is followed even if lists cannot be read. */
const foundUnderWay = async (name: string, underWay: string | null, signal: AbortSignal): Promise<UnderWay | null> => {
  const none = (error: unknown) => {
    if (underWay === null) throw error;
    return { items: [] };
  };
  const options = { signal, once: underWay !== null }; // what is known is not kept waiting
  const [rebuilds, verifications] = await Promise.all([
    get<AnswerOf<'/ops/rebuilds'>>(REBUILDS, {}, options).catch(none),
    get<AnswerOf<'/ops/verifications'>>(VERIFICATIONS, {}, options).catch(none),
  ]);
  const of = (items: readonly Job[], path: string): string[] =>
    items.filter((job) => job.projection === name && isUnderWay(job)).map(({ id }) => pathOf(path, id));
  const jobs = [...of(rebuilds.items, REBUILDS), ...of(verifications.items, VERIFICATIONS)];
  const href = underWay ?? jobs[0];
  return href === undefined ? null : { href, isJob: jobs.includes(href) };
};

/** Paused partitions of a projection; none are named where it does not answer. */
const pausedNow = (name: string): Promise<number> =>
  get<AnswerOf<'/ops/projections/{name}'>>(pathOf('/ops/projections', name)).then(
    ({ setAside }) => setAside.partitions,
    () => 0,
  );

type JobsProps = Readonly<{
  name: string;
  acting: Acting;
  /** Whether the caller may act. */
  shown: boolean;
  underWay: string | null;
  /** Something about the projection has changed. */
  again: () => void;
}>;

/** Begins and cancels rebuilds and verifications, and follows the one under way, whoever has begun it. */
export const ProjectionJobs = ({ name, acting, shown, underWay, again }: JobsProps) => {
  const [href, setHref] = useState<string | null>(null);
  const [ended, setEnded] = useState<Job | null>(null);
  const said = useRef(acting.said);
  said.current = acting.said;
  const found = useData((signal) => foundUnderWay(name, underWay, signal), [name, underWay]);
  const followed = href ?? found.data?.href ?? null;
  const mayCancel = href !== null || found.data?.isJob === true;
  const job = useJob<Job>(followed, (done) => {
    setEnded(done);
    setHref(null);
    found.again();
    again();
    // A resume and a skip say their own end, which the rebuild that they are made of must not replace.
    void pausedNow(name).then((paused) => isOpen(said.current) && acting.say(outcomeOf(done, paused)));
  });
  const begin = (action: 'rebuild' | 'verify', text: string) =>
    acting.act(async () => {
      setEnded(null);
      const link = await send<PostAnswerOf<'/ops/projections/{name}/rebuild'>>('POST', `${pathOf('/ops/projections', name)}/${action}`);
      setHref(link.href);
      return { text, state: 'running' };
    });
  const cancel = () =>
    acting.act(async () => {
      if (followed) await send('DELETE', followed);
      return isOpen(said.current) ? { text: 'Cancelling …', state: 'running' } : said.current; // its end may have been said meanwhile
    });
  const isBusy = acting.busy || followed !== null;
  return (
    <>
      {shown && (
        <div class="buttons">
          <Button text="Rebuild" disabled={isBusy} onClick={() => begin('rebuild', `Rebuilding ${name} …`)} />
          <Button text="Verify" disabled={isBusy} onClick={() => begin('verify', `Verifying ${name} …`)} />
          <Button text="Cancel" disabled={acting.busy || !mayCancel} onClick={cancel} />
        </div>
      )}
      {shown && (
        <p class="quiet">
          A rebuild is made beside the read model, which is served meanwhile; a verification compares it with the log. A read model as a
          whole cannot be paused.
        </p>
      )}
      {found.error !== undefined && <ErrorNote error={found.error} again={found.again} />}
      {job && (
        <Progress
          label={`${isVerification(job) ? 'Verification' : 'Rebuild'} of ${name}`}
          done={job.processed ?? 0}
          total={job.total ?? null}
          rate={job.eventsPerSecond}
          remainingSeconds={job.remainingSeconds}
        />
      )}
      {ended && isVerification(ended) && <Differences of={ended} />}
    </>
  );
};

const Differences = ({ of: { differences, differenceCount } }: Readonly<{ of: Verification }>) =>
  differences && differences.length > 0 ? (
    <>
      <h3>Differences</h3>
      {differences.length < (differenceCount ?? 0) && <p class="quiet">The first {count(differences.length)}.</p>}
      <Table
        caption="Differences"
        rows={differences}
        keyOf={({ collection, key }) => `${collection} ${key}`}
        columns={[
          { name: 'Key', show: ({ key }) => <code>{key}</code> },
          { name: 'Collection', show: ({ collection }) => collection },
          { name: 'Kind', show: ({ kind }) => kind },
          { name: 'Members', show: ({ members }) => members.join(', ') },
        ]}
      />
    </>
  ) : null;
