import { SLOW_RETRY_MS, useLive } from '../../api/live.js';
import { mayOperate } from '../../api/session.js';
import type { LiveOverview } from '../../api/types.js';
import { LastHour } from '../../charts/last-hour.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Facts } from '../../parts/facts.js';
import { bytes, count, counted, duration, figure } from '../../parts/figures.js';
import { State, toneOf } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { FirstSteps } from './first-steps.js';
import { isChainElsewhere, Tiles } from './tiles.js';

/** What is wrong on top, then the services, then the figures of the whole installation, which come anew every second. */
export default function Overview({ session, reaches }: ViewProps) {
  const { overview, lost, refusal, again } = useLive();
  return (
    <>
      {refusal && <ErrorNote error={refusal} again={again} />}
      <Verdict overview={overview} lost={lost && !refusal} reaches={reaches} />
      {lost && (
        <p class="quiet">
          {overview && 'What is shown may be old. '}It is tried again every {refusal ? `${SLOW_RETRY_MS / 1_000} seconds` : 'second'}.
        </p>
      )}
      {overview?.services.isEmpty && <FirstSteps />}
      {overview && !overview.services.isEmpty && (
        <div aria-live="off" class={lost ? 'old' : undefined}>
          <Tiles overview={overview} reaches={reaches} />
          <Projections projections={overview.projections} linked={mayOperate(session)} />
          {overview.log?.rates && (
            <LastHour
              title="Events over the last hour"
              unit="events a second"
              bins={overview.log.rates}
              series={[{ name: 'Events a second', values: overview.log.rates.minutes }]}
            />
          )}
          <Facts of={factsOf(overview)} />
          <Nodes nodes={overview.nodes} />
        </div>
      )}
    </>
  );
}

type VerdictProps = Readonly<{ overview: LiveOverview | undefined; lost: boolean; reaches: ViewProps['reaches'] }>;

const Verdict = ({ overview, lost, reaches }: VerdictProps) => {
  const findings = overview && !lost ? overview.findings : [];
  const isKnown = overview?.services.messaging && overview.services.status;
  return (
    <div role="status" class={findings.length > 0 || lost ? 'verdict bad' : 'verdict'}>
      {lost && <State tone="bad">Connection lost</State>}
      {!lost && findings.length === 0 && (isKnown ? <State tone="good">All is well</State> : 'Looking …')}
      {findings.length > 0 && (
        <ul>
          {findings.map(({ severity, text, figures, todo, view }) => (
            <li key={text}>
              <State tone={severity === 'critical' ? 'bad' : 'busy'}>{text}</State> {figures && <span aria-live="off">{figures} </span>}
              {todo} {reaches(view.path) && <a href={placeOf(view.path, view.query)}>{view.text}</a>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const factsOf = (overview: LiveOverview) => {
  const { log, chain, history, disk, results, at } = overview;
  return [
    ['Events a second now', log?.rates ? figure(log.rates.now) : '–'],
    ['Events in the log', typeof log?.events === 'number' ? count(log.events) : '–'],
    ['Streams', typeof log?.streams === 'number' ? count(log.streams) : '–'],
    ['Size of the log', typeof log?.bytes === 'number' ? bytes(log.bytes) : '–'],
    ['Head', log ? `position ${log.head}` : '–'],
    ['Chain', isChainElsewhere(overview) ? 'on other nodes' : <ChainFact key="chain" chain={chain} />],
    ['Last anchor', anchorText(overview)],
    ['History', history ? <State tone={toneOf(history.status)}>{history.status}</State> : 'not on this node'],
    ['Results to recompute', results ? counted(results.daysWaiting, 'day') : '–'],
    ['Disk', disk ? `${bytes(disk.freeBytes)} of ${bytes(disk.sizeBytes)} free` : '–'],
    ['Last updated', <Time key="at" at={`${at.slice(0, 19)}Z`} />],
  ] as const;
};

const anchorText = (overview: LiveOverview): string => {
  const { anchorAgeSeconds } = overview.chain;
  if (typeof anchorAgeSeconds === 'number') return `${duration(anchorAgeSeconds)} ago`;
  return isChainElsewhere(overview) ? 'not known on this node' : 'none yet';
};

const ChainFact = ({ chain: { status, size } }: Readonly<{ chain: LiveOverview['chain'] }>) => (
  <>
    <State tone={toneOf(status)}>{status}</State> · {counted(size, 'event')}
  </>
);

type ProjectionsProps = Readonly<{ projections: LiveOverview['projections']; linked: boolean }>;

/** Those that need somebody's eyes; one line where there are none. */
const Projections = ({ projections, linked }: ProjectionsProps) => {
  if (!projections || projections.length === 0) return null;
  const notLive = projections.filter(({ state }) => state !== 'live');
  if (notLive.length === 0)
    return (
      <p>
        <State tone="good">{`All ${count(projections.length)} projections are live`}</State>
      </p>
    );
  return (
    <>
      <h2>Projections that are not live</h2>
      <Table
        caption="Projections that are not live"
        rows={notLive}
        keyOf={({ name }) => name}
        {...(linked && { linkOf: ({ name }: { name: string }) => placeOf(`/projections/${encodeURIComponent(name)}`) })}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
          { name: 'Lag in events', end: true, show: ({ lag }) => count(lag.events) },
          { name: 'Lag in seconds', end: true, show: ({ lag }) => figure(lag.seconds) },
          { name: 'Set aside', end: true, show: ({ setAside }) => count(setAside.partitions) },
        ]}
      />
    </>
  );
};

const Nodes = ({ nodes }: Readonly<{ nodes: LiveOverview['nodes'] }>) => (
  <>
    <h2>Nodes</h2>
    <Table
      caption="Nodes with their roles"
      rows={nodes ?? []}
      keyOf={({ node }) => node}
      columns={[
        { name: 'Node', show: ({ node }) => node },
        { name: 'Roles', show: ({ roles }) => roles.join(', ') },
        { name: 'Version', show: ({ version }) => version },
        { name: 'Seen', show: ({ seenAt }) => <Time at={seenAt} relative /> },
      ]}
    />
  </>
);
