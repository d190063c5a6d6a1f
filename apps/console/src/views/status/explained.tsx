import type { ComponentChildren } from 'preact';
import { Facts } from '../../parts/facts.js';
import { counted } from '../../parts/figures.js';
import { Name } from '../../parts/name.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { exactTime, Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { arrivalOf, isLate } from './late.js';
import type { Explanation } from './load.js';
import { decimals, sumOf } from './sum.js';

type Source = Explanation['report']['event'];
type Recomputation = Explanation['recomputations'][number];

const FromEvent = ({ event, children }: Readonly<{ event: Source | null | undefined; children: ComponentChildren }>) =>
  event ? <a href={placeOf(`/events/${event.index}`)}>{children}</a> : <span>{children}</span>;

const partOfDay = (figure: string): string => `${decimals(100 * Number(figure))} % of the day`;

const Sources = ({ of }: Readonly<{ of: Explanation }>) => (
  <Table
    caption="Configuration that was in force"
    heading
    columns={[
      { name: 'What', show: ({ what }) => what },
      { name: 'Since', show: ({ day, event }) => <FromEvent event={event}>{day}</FromEvent> },
    ]}
    rows={[
      { what: `Report ${of.report.name}`, day: 'as it is now', event: of.report.event },
      ...of.profiles.map(({ type, day, event }) => ({ what: `${type} profile`, day, event })),
      ...(of.topology.groups ? [{ what: 'Topology of groups', ...of.topology.groups }] : []),
      ...(of.topology.endpoints ? [{ what: 'Topology of endpoints', ...of.topology.endpoints }] : []),
      ...(of.downtimes ? [{ what: 'Downtimes', ...of.downtimes }] : []),
    ]}
    keyOf={({ what }) => what}
  />
);

const effectOf = ({ excludesGroup, excludeMetrics = [], excludeMonitoringSource = [], appliedStatusChanges = [] }: Recomputation): string =>
  [
    excludesGroup ? 'excludes the group' : '',
    excludeMetrics.length > 0 ? `excludes ${counted(excludeMetrics.length, 'metric')}` : '',
    excludeMonitoringSource.length > 0 ? `excludes ${counted(excludeMonitoringSource.length, 'monitoring source')}` : '',
    appliedStatusChanges.length > 0 ? counted(appliedStatusChanges.length, 'changed status', 'changed statuses') : '',
  ]
    .filter(Boolean)
    .join(', ') || 'computed anew';

/** Requests name the last second that they include. */
const lastSecondOf = (end: string): string => new Date(Date.parse(end) - 1_000).toISOString();

const Recomputations = ({ of }: Readonly<{ of: Explanation }>) => (
  <Table
    caption={`Recomputations in force (${of.recomputationCount})`}
    heading
    columns={[
      {
        name: 'Recomputation',
        show: ({ id, events }) => (
          <FromEvent event={events[0]}>
            <Name kind="status.recomputation" id={id} />
          </FromEvent>
        ),
      },
      { name: 'From', show: ({ from }) => exactTime(from) },
      { name: 'To', show: ({ to }) => exactTime(lastSecondOf(to)) },
      { name: 'Effect', show: effectOf },
    ]}
    rows={of.recomputations}
    keyOf={({ id }) => id}
    empty="No recomputation was in force."
  />
);

/** Points that changed a status, or that did not count. */
const Points = ({ of }: Readonly<{ of: Explanation }>) => {
  const rows = of.endpoints.flatMap(({ service, host, metrics }) =>
    metrics.flatMap(({ metric, points }) =>
      points.map((point, at) => ({ ...point, key: `${service} ${host} ${metric} ${at}`, service, host, metric })),
    ),
  );
  const notable = rows.filter(({ status, use, shown }) => status !== 'OK' || use !== 'counts' || shown !== status);
  return (
    <>
      <Table
        caption={`Points behind this figure (${notable.length} of ${rows.length}: all but those that count as OK)`}
        heading
        columns={[
          { name: 'At', show: ({ at, event }) => <FromEvent event={event}>{exactTime(at)}</FromEvent> },
          {
            name: 'Arrived',
            show: (point) => (
              <>
                <Time at={arrivalOf(point)} />
                {isLate(point, of.day) && <State tone="busy">late</State>}
              </>
            ),
          },
          { name: 'Endpoint', show: ({ host, service }) => `${host} (${service})` },
          { name: 'Metric', show: ({ metric }) => metric },
          { name: 'Status', show: ({ status, shown }) => (shown && shown !== status ? `${status}, shown as ${shown}` : status) },
          { name: 'Use', show: ({ use, thresholdRule }) => (thresholdRule ? `${use}, by the rule ${thresholdRule}` : use) },
        ]}
        rows={notable.slice(0, 200)}
        keyOf={({ key }) => key}
        empty="All points count as OK."
      />
      {notable.length > 200 && <p class="quiet">The first 200 are shown.</p>}
    </>
  );
};

/** What a figure came from, down to the events of the log. */
export const Explained = ({ of }: Readonly<{ of: Explanation }>) => {
  const { figures, supergroups, affectedByThresholdRule } = of;
  return (
    <section aria-label="Explanation">
      <h3>What the figures came from</h3>
      <div class="sums">
        <Facts
          of={[
            ['Availability', sumOf(of, 'availability')],
            ['Reliability', sumOf(of, 'reliability')],
          ]}
        />
      </div>
      <Facts
        of={[
          ['Up', partOfDay(figures.uptime)],
          ['Unknown', partOfDay(figures.unknown)],
          ['Scheduled downtime', partOfDay(figures.downtime)],
          [
            `In ${supergroups.type}`,
            `${supergroups.names.join(', ')}, ${supergroups.weight === 0 ? 'no weight set' : `weight ${decimals(supergroups.weight)}`}`,
          ],
        ]}
      />
      <p>
        Availability is the time up, of the time that is known; reliability leaves out downtimes as well.
        {affectedByThresholdRule ? ' A rule of thresholds changed a status on this day.' : ''}
      </p>
      <Sources of={of} />
      <Recomputations of={of} />
      <Points of={of} />
    </section>
  );
};
