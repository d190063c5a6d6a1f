import type { LiveOverview } from '../../api/types.js';
import { bytes, counted, duration } from '../../parts/figures.js';

/**
 * What is wrong, how much (that changes all the time, and is not said aloud), what to do, and the view where that is done or seen: its path, and the query
 * that it is opened with.
 */
type ProblemShown = Readonly<{
  what: string;
  figures?: string;
  todo: string;
  link: Readonly<{ path: string; query?: Readonly<Record<string, string>>; text: string }>;
}>;

/** Seconds after which a read model that catches up is late. */
const LATE_SECONDS = 10;
/** The embedded log refuses writes when its reserve is reached; this is when to make room. */
const ROOM_BYTES = 2 ** 30;
const ROOM_SHARE = 0.05;

const EVENTS = { path: '/events', text: 'Look at the newest events' };
const INTEGRITY = { path: '/integrity', text: 'Open Integrity' };
const OPERATIONS = { path: '/operations', text: 'Open Operations' };
const DELETED_TOPICS = { path: '/events', query: { type: 'TopicDeleted' }, text: 'Look at deleted topics' };
const PROJECTIONS = { path: '/projections', text: 'Open Projections' };

type Projection = NonNullable<LiveOverview['projections']>[number];

/** A problem, where there is one. */
const when = (isThere: boolean, problem: ProblemShown): readonly ProblemShown[] => (isThere ? [problem] : []);

const storeProblems = ({ stores: { eventLog, readStore }, log, projections }: LiveOverview): readonly ProblemShown[] => [
  ...when(eventLog !== null, {
    what: `The event log does not work: ${eventLog}.`,
    todo: 'Writes are refused and resume by themselves. Check the disk or the server of the log.',
    link: EVENTS,
  }),
  ...when(readStore !== null, {
    what: `The read models do not work: ${readStore}.`,
    todo: 'Check their disk or Redis.',
    link: PROJECTIONS,
  }),
  ...when(log === null && eventLog === null, {
    what: 'The event log is slow to answer.',
    todo: 'Check the load of its machine.',
    link: EVENTS,
  }),
  ...when(projections === null && readStore === null, {
    what: 'The read models are slow to answer.',
    todo: 'Check the load of their machine.',
    link: PROJECTIONS,
  }),
];

const projectionProblems = ({ name, state, lag, setAside, failure, withheld, differences }: Projection): readonly ProblemShown[] => {
  const link = { path: `/projections/${encodeURIComponent(name)}`, text: `Open ${name}` };
  if (withheld !== null) {
    return [
      { what: `${name} is not served: ${withheld}.`, todo: 'It is being rebuilt from the log and will be served when complete.', link },
    ];
  }
  if (state === 'stopped')
    return [{ what: `${name} is stopped${failure ? `: ${failure}` : ''}.`, todo: 'Remove the cause, then resume it.', link }];
  const rebuilding = state === 'rebuilding';
  const isLate = !rebuilding && (lag.seconds > LATE_SECONDS || (state === 'catching-up' && lag.events > 0));
  return [
    ...when(differences > 0 && !rebuilding, {
      what: `${name} does not match the log: ${counted(differences, 'document differs', 'documents differ')}.`,
      todo: 'A verification found this. Rebuild the projection, then verify it again.',
      link,
    }),
    ...when(setAside.partitions > 0, {
      what: `${name} has set aside ${counted(setAside.partitions, 'partition')}.`,
      figures: `${counted(setAside.events, 'event waits', 'events wait')}.`,
      todo: 'Resume it when the failing event can be applied, or skip that event.',
      link,
    }),
    ...when(isLate, {
      what: `${name} is behind.`,
      figures: `By ${counted(lag.events, 'event')}, ${duration(lag.seconds)}.`,
      todo: 'It catches up by itself. If it does not, check the load of its node.',
      link,
    }),
  ];
};

const damageProblems = ({ damage }: LiveOverview): readonly ProblemShown[] =>
  when(Boolean(damage), {
    what: `The log does not match what was signed: index ${damage?.index}, ${damage?.detail}.`,
    todo: 'A verification found this. Compare with anchors and backups kept elsewhere, and restore a backup that verifies.',
    link: INTEGRITY,
  });

const chainProblems = ({ chain, history, results, erasuresFailed, deadLettersKept }: LiveOverview): readonly ProblemShown[] => [
  ...when(results?.status === 'stopped', {
    what: 'The background computation of large results has stopped.',
    todo: 'Results are still computed on request. Check the server log.',
    link: EVENTS,
  }),
  ...when(chain.status === 'behind', {
    what: 'The chain is behind.',
    figures: `By ${duration(chain.lagSeconds ?? 0)}.`,
    todo: 'The newest events cannot be proved yet. Check the node with the role history.',
    link: INTEGRITY,
  }),
  ...(history?.failures?.map(({ projection }) => ({
    what: `The history of ${projection} stopped at an event.`,
    todo: 'Reads as of the past end there. Check the server log.',
    link: EVENTS,
  })) ?? []),
  ...Object.entries(history?.partitionsSetAside ?? {}).map(([projection, count]) => ({
    what: `${counted(count, 'partition is', 'partitions are')} set aside in the history of ${projection}.`,
    todo: 'Reads of them as of the past are refused. Resume or skip as for the projection.',
    link: PROJECTIONS,
  })),
  ...when(erasuresFailed > 0, {
    what: `${counted(erasuresFailed, 'erasure')} failed.`,
    todo: 'Check the server log and the list of erasures.',
    link: OPERATIONS,
  }),
  ...when(deadLettersKept > 0, {
    what: `${counted(deadLettersKept, 'subscription keeps', 'subscriptions keep')} undeliverable messages, because the dead letter topic is gone.`,
    todo: 'Create that topic again, or choose another one for the subscription.',
    link: DELETED_TOPICS,
  }),
];

const diskProblems = ({ disk }: LiveOverview): readonly ProblemShown[] =>
  disk && (disk.freeBytes < ROOM_BYTES || disk.freeBytes < disk.sizeBytes * ROOM_SHARE)
    ? [
        {
          what: 'The disk is nearly full.',
          figures: `${bytes(disk.freeBytes)} are free.`,
          todo: 'Free space before the log refuses writes.',
          link: OPERATIONS,
        },
      ]
    : [];

/** What somebody has to look at, the worst first; nothing: all is well. */
export const problemsIn = (overview: LiveOverview): readonly ProblemShown[] => [
  ...storeProblems(overview),
  ...damageProblems(overview),
  ...diskProblems(overview),
  ...(overview.projections ?? []).flatMap(projectionProblems),
  ...chainProblems(overview),
];
