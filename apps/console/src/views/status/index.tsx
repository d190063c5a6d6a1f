import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { HeatMap } from '../../charts/heat-map.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Choice, DayField, Field, Form } from '../../parts/fields/field.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Tabs } from '../../parts/tabs.js';
import { go, placeOf } from '../../place.js';
import { useAsOf, useTimeShown } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import { Day } from './day.js';
import { LateDays } from './late-data.js';
import { type Asked, type Figures, loadDays, loadFirstReport, loadReports, loadTenants, type ReportDays } from './load.js';
import { NotOkNow } from './now.js';
import { isKnown, levelOf, markOf, worstFirst } from './rows.js';
import { percentOf } from './sum.js';

/** Days of a picture. */
const USUAL_DAYS = 30;
/** Groups of a picture; others are found by their name. */
const MOST_GROUPS = 60;
/** Tenants that are looked through for a report that can be read. */
const MOST_TRIED = 20;

const SCALE = [
  [4, '99.9 % and more'],
  [3, 'from 99 %'],
  [2, 'from 95 %'],
  [1, 'from 90 %'],
  [0, 'below 90 %'],
  [null, 'unknown'],
] as const;

const FIGURES = { Availability: 'availability', Reliability: 'reliability' } as const;
type FigureName = keyof typeof FIGURES;

const ORDERS = ['worst first', 'by name'] as const;
type Order = (typeof ORDERS)[number];

const dayBefore = (time: number, days: number): string => new Date(time - days * 86_400_000).toISOString().slice(0, 10);

const statusPlace = ({ tenant, report, from, to }: Asked, more: Readonly<Record<string, string>> = {}): string =>
  placeOf('/status', { tenant, report, from, to, ...more });

const isFigure = (name: string): name is FigureName => Object.hasOwn(FIGURES, name);

const ChosenForm = ({ asked, tenants }: Readonly<{ asked: Asked; tenants: readonly Readonly<{ id: string; name: string }>[] }>) => {
  const [chosen, setChosen] = useState({ ...asked, tenant: asked.tenant || (tenants[0]?.id ?? '') });
  const reports = useData((signal) => loadReports(chosen.tenant, asked.asOf, signal), [chosen.tenant, asked.asOf]);
  const names = reports.data ?? [];
  const report = names.includes(chosen.report) ? chosen.report : (names[0] ?? '');
  const change = (changed: Partial<Asked>) => setChosen({ ...chosen, ...changed });
  return (
    <Form
      submit="Show"
      look="primary"
      disabled={report === ''}
      onSubmit={() => go(statusPlace({ ...chosen, report }))}
      note={
        <>
          {reports.data?.length === 0 && <p class="empty">The tenant has no report yet.</p>}
          {reports.error !== undefined && <ErrorNote error={reports.error} again={reports.again} />}
        </>
      }
    >
      <Choice
        label="Tenant"
        value={chosen.tenant}
        onValue={(tenant) => change({ tenant })}
        options={tenants.map(({ id, name }) => [id, name])}
      />
      <Choice label="Report" value={report} onValue={(name) => change({ report: name })} options={names} />
      <DayField label="From" value={chosen.from} onValue={(from) => change({ from })} />
      <DayField label="To" value={chosen.to} onValue={(to) => change({ to })} />
    </Form>
  );
};

/** Always with two decimals: figures of months stand below each other. */
const inColumn = (figure: number): string => figure.toFixed(2);

const figureText = (figures: Figures | undefined, known: boolean, name: keyof Figures, column: string): string => {
  if (!figures) return 'no results';
  return known ? percentOf(figures[name], column.length === 'YYYY-MM'.length ? inColumn : undefined) : 'unknown';
};

type MapProps = Readonly<{
  found: ReportDays;
  name: FigureName;
  chosen: readonly [string, string] | undefined;
  onChoose: (group: string, day: string) => void;
}>;

const FigureMap = ({ found, name, chosen, onChoose }: MapProps) => {
  const [part, setPart] = useState('');
  const [order, setOrder] = useState<Order>('worst first');
  const member = FIGURES[name];
  const ordered = order === 'by name' ? found.groups : worstFirst(found, member);
  const groups = ordered.filter((group) => group.toLowerCase().includes(part.trim().toLowerCase()));
  const cellOf = (group: string, column: string) => {
    const ofGroup = found.figures.get(group);
    const figures = ofGroup?.get(column);
    const known = isKnown(ofGroup, column, member);
    const figure = figureText(figures, known, member, column);
    const level = figures && known ? levelOf(Number(figures[member])) : null;
    return { level, mark: markOf(level, figure), figure, text: figures ? `${member} ${figure}` : figure };
  };
  const isCut = groups.length > MOST_GROUPS;
  return (
    <>
      <div class="fields">
        <Field
          label="Group"
          value={part}
          onValue={setPart}
          hint={`a part of its name${isCut ? `; ${MOST_GROUPS} of ${count(groups.length)} are shown` : ''}`}
        />
        <Choice label="Order" value={order} onValue={(value) => setOrder(value === 'by name' ? value : 'worst first')} options={ORDERS} />
      </div>
      {groups.length === 0 ? (
        <p class="empty">No group has this in its name.</p>
      ) : (
        <HeatMap
          title={`${name} of groups by day (%)`}
          rows={groups.slice(0, MOST_GROUPS)}
          days={found.days}
          late={found.late}
          months={found.months}
          cellOf={cellOf}
          scale={SCALE}
          chosen={chosen}
          onChoose={onChoose}
        />
      )}
    </>
  );
};

type ResultsProps = Readonly<{ asked: Asked; open: readonly [string, string] | undefined; explains: boolean; session: Session }>;

const Results = ({ asked, open, explains, session }: ResultsProps) => {
  const { tenant, report, from, to, asOf } = asked;
  const [name, setName] = useState<FigureName>('Availability');
  const found = useData((signal) => loadDays(asked, signal), [tenant, report, from, to, asOf]);
  return (
    <>
      <Loading of={found}>
        {(days) =>
          days.groups.length === 0 ? (
            <p class="empty">
              {days.days.length === 0 ? 'From must be a day that is not after To.' : 'The report has no results on these days.'}
            </p>
          ) : (
            <>
              <Tabs label="Figure" names={Object.keys(FIGURES)} selected={name} onSelect={(chosen) => isFigure(chosen) && setName(chosen)}>
                <FigureMap found={days} name={name} chosen={open} onChoose={(group, day) => go(statusPlace(asked, { group, day }), true)} />
              </Tabs>
              <LateDays days={days.late} asked={asked} session={session} />
            </>
          )
        }
      </Loading>
      {open && (
        <Day
          key={open.join(' ')}
          asked={asked}
          group={open[0]}
          day={open[1]}
          session={session}
          explains={explains}
          onExplain={(wanted) => go(statusPlace(asked, { group: open[0], day: open[1], explain: wanted ? 'true' : '' }), true)}
        />
      )}
    </>
  );
};

/** `time`: of the point that is shown. */
const StatusAt = ({ query, session, time }: ViewProps & Readonly<{ time: number }>) => {
  const asOf = useAsOf();
  const tenants = useData((signal) => loadTenants(asOf, signal), [asOf]);
  const given = (name: string): string => query.get(name) ?? '';
  const asked: Asked = {
    tenant: given('tenant'),
    report: given('report'),
    from: given('from') || dayBefore(time, USUAL_DAYS - 1),
    to: given('to') || dayBefore(time, 0),
    asOf,
  };
  const group = given('group');
  // The day of a group that is asked for without one is the last that is shown.
  const day = given('day') || asked.to;
  // In the past the tenant that was chosen may not have been there yet.
  const isShown = asOf === undefined || asked.tenant === '' || tenants.data?.some(({ id }) => id === asked.tenant) === true;
  // Without a chosen report the page shows the first one of the tenant; without a tenant, that of the first tenant that has one.
  useEffect(() => {
    if (asked.report !== '' || !tenants.data || !isShown) return;
    const ended = new AbortController();
    const among = asked.tenant === '' ? tenants.data.slice(0, MOST_TRIED).map(({ id }) => id) : [asked.tenant];
    loadFirstReport(among, asOf, ended.signal).then(
      (found) => found && !ended.signal.aborted && go(statusPlace({ ...asked, ...found }), true),
    );
    return () => ended.abort();
  }, [tenants.data, asked.tenant, asked.report]);
  return (
    <>
      {asOf === undefined && <NotOkNow session={session} />}
      <Loading of={tenants}>
        {(found) =>
          found.length === 0 ? (
            <p class="empty">
              {asOf === undefined ? 'There is no tenant yet. The call POST /api/v2/admin/tenants creates one.' : 'There was no tenant yet.'}
            </p>
          ) : (
            <>
              <ChosenForm key={`${asked.tenant} ${asked.report} ${asked.from} ${asked.to}`} asked={asked} tenants={found} />
              {!isShown && <p class="empty">The tenant was not there yet.</p>}
            </>
          )
        }
      </Loading>
      {asked.report !== '' && isShown && (
        <Results asked={asked} open={group ? [group, day] : undefined} explains={query.get('explain') === 'true'} session={session} />
      )}
    </>
  );
};

/** Availability and reliability of the groups of a report over days, and one day of one group down to its metrics. */
export default function Status(props: ViewProps) {
  return <Loading of={useTimeShown()}>{(time) => <StatusAt {...props} time={time} />}</Loading>;
}
