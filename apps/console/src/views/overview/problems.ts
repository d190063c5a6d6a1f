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
    what: `The event log is in trouble: ${eventLog}.`,
    todo: 'No writes are taken. Look at its disk or its server; they go on by themselves.',
    link: EVENTS,
  }),
  ...when(readStore !== null, {
    what: `The read models are in trouble: ${readStore}.`,
    todo: 'Look at their disk or at Redis.',
    link: PROJECTIONS,
  }),
  ...when(log === null && eventLog === null, {
    what: 'The event log is slow to answer.',
    todo: 'Look at the load of its machine.',
    link: EVENTS,
  }),
  ...when(projections === null && readStore === null, {
    what: 'The read models are slow to answer.',
    todo: 'Look at the load of their machine.',
    link: PROJECTIONS,
  }),
];

const projectionProblems = ({
  name,
  state,
  lag,
  setAside,
  failure,
  withheld,
  differences,
  rebuilding,
}: Projection): readonly ProblemShown[] => {
  const link = { path: `/projections/${encodeURIComponent(name)}`, text: `Open ${name}` };
  if (withheld !== null) {
    return [
      { what: `${name} is not shown: ${withheld}.`, todo: 'It is built again from the log by itself, and shown once it is whole.', link },
    ];
  }
  if (state === 'stopped')
    return [{ what: `${name} is stopped${failure ? `: ${failure}` : ''}.`, todo: 'Resume it once what the event needs is mended.', link }];
  const isLate = !rebuilding && (lag.seconds > LATE_SECONDS || (state === 'catching-up' && lag.events > 0));
  return [
    ...when(differences > 0 && !rebuilding, {
      what: `${name} is not what the log says: ${counted(differences, 'document')} differ.`,
      todo: 'A verification has found this. Rebuild it, then verify it again.',
      link,
    }),
    ...when(setAside.partitions > 0, {
      what: `${name} has set aside ${counted(setAside.partitions, 'partition')}.`,
      figures: `${counted(setAside.events, 'event')} wait there.`,
      todo: 'Resume it once the failing event can be applied, or skip that event.',
      link,
    }),
    ...when(isLate, {
      what: `${name} is behind.`,
      figures: `By ${counted(lag.events, 'event')}, ${duration(lag.seconds)}.`,
      todo: 'It catches up by itself; if it does not, look at the load of its node.',
      link,
    }),
  ];
};

const damageProblems = ({ damage }: LiveOverview): readonly ProblemShown[] =>
  when(Boolean(damage), {
    what: `The log is not what was signed: at index ${damage?.index}, ${damage?.detail}.`,
    todo: 'A verification has found this. Compare with anchors and backups that others keep, and restore one that verifies.',
    link: INTEGRITY,
  });

const chainProblems = ({ chain, history, results, erasuresFailed, deadLettersKept }: LiveOverview): readonly ProblemShown[] => [
  ...when(results?.status === 'stopped', {
    what: 'What keeps large results up to date is stopped.',
    todo: 'Results are computed when they are asked for. Look at the log of the server.',
    link: EVENTS,
  }),
  ...when(chain.status === 'behind', {
    what: 'The chain is behind.',
    figures: `By ${duration(chain.lagSeconds ?? 0)}.`,
    todo: 'Nobody proves the newest events yet. Look at the node with the role history.',
    link: INTEGRITY,
  }),
  ...(history?.failures?.map(({ projection }) => ({
    what: `The history of ${projection} is stopped at an event.`,
    todo: 'Reads as of the past end there. Look at the log of the server.',
    link: EVENTS,
  })) ?? []),
  ...when(erasuresFailed > 0, {
    what: `${counted(erasuresFailed, 'erasure')} cannot be done.`,
    todo: 'Look at the log of the server, and at the erasures.',
    link: OPERATIONS,
  }),
  ...when(deadLettersKept > 0, {
    what: `${counted(deadLettersKept, 'subscription keeps', 'subscriptions keep')} messages that nobody takes, because the topic of their dead letters is gone.`,
    todo: 'Create that topic again, or give the subscription another one.',
    link: DELETED_TOPICS,
  }),
];

const diskProblems = ({ disk }: LiveOverview): readonly ProblemShown[] =>
  disk && (disk.freeBytes < ROOM_BYTES || disk.freeBytes < disk.sizeBytes * ROOM_SHARE)
    ? [
        {
          what: 'The disk is nearly full.',
          figures: `${bytes(disk.freeBytes)} are free.`,
          todo: 'Make room before the log refuses writes.',
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
