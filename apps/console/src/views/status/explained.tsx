import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { NamedKind, NamedRecord } from '../../api/names.js';
import { Button } from '../../parts/button.js';
import { Facts } from '../../parts/facts.js';
import { count, counted } from '../../parts/figures.js';
import { Name } from '../../parts/name.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { exactTime, Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { arrivalOf, isLate } from './late.js';
import type { Explanation, Requested } from './load.js';
import { pointRows } from './rows.js';
import { decimals, soFar, sumOf } from './sum.js';

type Source = Explanation['report']['event'];
type Recomputation = Explanation['recomputations'][number];

type FromEventProps = Readonly<{
  event: Source | null | undefined /** Place of the result in the event. */;
  item?: number;
  children: ComponentChildren;
}>;

const FromEvent = ({ event, item, children }: FromEventProps) =>
  event ? <a href={placeOf(`/events/${event.index}`, { result: item?.toString() })}>{children}</a> : <span>{children}</span>;

/** The label of a profile of a type, and the kind under which it has a name. */
const PROFILES: Readonly<Record<string, readonly [what: string, kind: NamedKind]>> = {
  metric: ['Metric profile', 'status.metric_profile'],
  aggregation: ['Aggregation profile', 'status.aggregation_profile'],
  operations: ['Operations profile', 'status.operations_profile'],
  thresholds: ['Thresholds profile', 'status.thresholds_profile'],
  weights: ['Weights', 'status.weights'],
};

/** `named`: the record that has a name of its own. */
type SourceRow = Readonly<{ what: string; named?: NamedRecord; day: string; event?: Source | null }>;

const profileRows = ({ profiles }: Explanation): readonly SourceRow[] =>
  profiles.flatMap(({ type, id, day, event }) => {
    const [what, kind] = PROFILES[type] ?? [];
    return what && kind ? [{ what, named: { kind, id }, day, event }] : [];
  });

const Sources = ({ of }: Readonly<{ of: Explanation }>) => (
  <Table<SourceRow>
    caption="Configuration that was in force"
    heading
    columns={[
      {
        name: 'What',
        show: ({ what, named }) => (
          <>
            {what} {named && <Name {...named} />}
          </>
        ),
      },
      { name: 'Since', show: ({ day, event }) => <FromEvent event={event}>{day}</FromEvent> },
    ]}
    rows={[
      { what: `Report ${of.report.name}`, day: 'its last change', event: of.report.event },
      ...profileRows(of),
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

const Recomputations = ({ of, requested }: Readonly<{ of: Explanation; requested: readonly Requested[] }>) => (
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
      { name: 'Reason', show: ({ id }) => requested.find((one) => one.id === id)?.reason ?? '–' },
    ]}
    rows={of.recomputations}
    keyOf={({ id }) => id}
    empty="No recomputation was in force."
  />
);

const MOST_POINTS = 200;

/** Points that changed a status, or that did not count; on demand all. */
const Points = ({ of }: Readonly<{ of: Explanation }>) => {
  const [all, setAll] = useState(false);
  const rows = pointRows(of.endpoints);
  const notable = rows.filter(({ isNotable }) => isNotable);
  const shown = all ? rows : notable;
  return (
    <>
      <Table
        caption={
          all
            ? `Points behind this figure (all ${count(rows.length)})`
            : `Points behind this figure (${count(notable.length)} of ${count(rows.length)}: those that changed a status or do not count)`
        }
        heading
        columns={[
          {
            name: 'At',
            show: ({ at, event, item }) => (
              <>
                <FromEvent event={event} item={item}>
                  {exactTime(at)}
                </FromEvent>
                {at < of.day && <div class="quiet">carried over from the day before</div>}
              </>
            ),
          },
          { name: 'Result', end: true, show: ({ item }) => item },
          {
            name: 'Arrived',
            show: (point) => (
              <>
                <Time at={arrivalOf(point)} /> {isLate(point, of.day) && <State tone="busy">late</State>}
              </>
            ),
          },
          { name: 'Endpoint', show: ({ host, service }) => `${host} (${service})` },
          { name: 'Metric', show: ({ metric }) => metric },
          { name: 'Status', show: (row) => (row.shown && row.shown !== row.status ? `${row.status}, shown as ${row.shown}` : row.status) },
          { name: 'Use', show: ({ use, thresholdRule }) => (thresholdRule ? `${use}, by the rule ${thresholdRule}` : use) },
        ]}
        rows={shown.slice(0, MOST_POINTS)}
        keyOf={({ key }) => key}
        empty="No point changed a status."
      />
      <p class="quiet">
        Result: its place in the data of the event.{shown.length > MOST_POINTS && ` The first ${MOST_POINTS} are shown.`}{' '}
        {notable.length < rows.length && (
          <Button
            text={all ? 'Show those that changed a status' : `Show all ${count(rows.length)}`}
            class="small"
            onClick={() => setAll(!all)}
          />
        )}
      </p>
    </>
  );
};

/** What a figure came from, down to the events of the log. */
export const Explained = ({ of, requested }: Readonly<{ of: Explanation; requested: readonly Requested[] }>) => {
  const { figures, supergroups, affectedByThresholdRule } = of;
  const partOfDay = (figure: string): string => `${decimals(100 * Number(figure))} % of the day${soFar(of)}`;
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
      <Recomputations of={of} requested={requested} />
      <Points of={of} />
    </section>
  );
};
