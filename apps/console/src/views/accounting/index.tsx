import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { download } from '../../parts/download.js';
import { Combobox } from '../../parts/fields/combobox.js';
import { Choice, DayField, Form } from '../../parts/fields/field.js';
import { namesOf, useCombobox } from '../../parts/fields/use-combobox.js';
import { figure } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { Table } from '../../parts/table.js';
import { exactTime } from '../../parts/time.js';
import { go, placeOf } from '../../place.js';
import { useAsOf, useTimeShown } from '../../shell/as-of.js';
import type { ViewProps } from '../../shell/view.js';
import {
  boundText,
  loadCsv,
  loadFirstProject,
  loadProject,
  loadReport,
  monthBefore,
  type Project,
  type ReportRequest,
  type ReportRow,
  type Total,
  withTotals,
} from './report.js';
import { UsageChart } from './usage-chart.js';

/** Pictures beside the table; all rows are in it. */
const MOST_CHARTS = 12;

const lastMonth = (time: number): Readonly<{ from: string; to: string }> => {
  const to = new Date(time).toISOString().slice(0, 10);
  return { from: monthBefore(to), to };
};

const ALL = ['', 'all'] as const;

type ChosenProps = Readonly<{ asked: ReportRequest; providers: Project['providers'] }>;

/**
 * `providers`: of the project that is shown. `children`: its report, not shown while another name is not known. Another project is shown as soon as it is
 * chosen.
 */
const ChosenForm = ({ asked, providers, children }: ChosenProps & Readonly<{ children: ComponentChildren }>) => {
  const [chosen, setChosen] = useState(asked);
  const change = (changed: Partial<ReportRequest>) => setChosen({ ...chosen, ...changed });
  const show = (id: string) => {
    const parts = id === asked.project ? {} : { provider: '', installation: '' };
    go(placeOf('/accounting', { ...chosen, ...parts, project: id }));
  };
  const project = useCombobox({ noun: 'project', suggest: namesOf('accounting.project'), value: asked.project, onChosen: show });
  const installations = providers.filter(({ id }) => chosen.provider === '' || id === chosen.provider).flatMap((one) => one.installations);
  const submit = async () => {
    const id = await project.resolve();
    if (id !== undefined && id !== '') show(id);
  };
  return (
    <>
      <Form submit="Show" look="primary" dense onSubmit={submit}>
        <Combobox label="Project" field={project} required />
        <Choice
          label="Provider"
          value={chosen.provider}
          onValue={(provider) => change({ provider, installation: '' })}
          options={[ALL, ...providers.map(({ id, name }) => [id, name || id] as const)]}
        />
        <Choice
          label="Installation"
          value={chosen.installation}
          onValue={(installation) => change({ installation })}
          options={[ALL, ...installations.map(({ id, installation }) => [id, installation] as const)]}
        />
        <DayField label="From" value={chosen.from} onValue={(from) => change({ from })} />
        <DayField label="To" value={chosen.to} onValue={(to) => change({ to })} />
      </Form>
      {project.error === '' && children}
    </>
  );
};

/** A project with what can be chosen in it, and the report. */
const Shown = ({ asked }: Readonly<{ asked: ReportRequest }>) => {
  const asOf = useAsOf();
  const project = useData((signal) => loadProject(asked.project, asOf, signal), [asked.project, asOf]);
  const wasNotThere = asOf !== undefined && project.error instanceof ApiError && project.error.status === 404;
  return (
    <ChosenForm key={JSON.stringify(asked)} asked={asked} providers={project.data?.providers ?? []}>
      {wasNotThere ? (
        <p class="empty">The project was not there yet.</p>
      ) : (
        <Loading of={project}>{({ providers }) => <Report asked={asked} providers={providers} />}</Loading>
      )}
    </ChosenForm>
  );
};

const Charts = ({ rows }: Readonly<{ rows: readonly ReportRow[] }>) => (
  <div class="charts">
    {[...Map.groupBy(rows, ({ installationId, metricId }) => `${installationId} ${metricId}`)]
      .slice(0, MOST_CHARTS)
      .map(([key, periods]) => (
        <UsageChart
          key={key}
          title={`${periods[0]?.metric}, ${periods[0]?.installation}`}
          unit={periods[0]?.unit ?? ''}
          periods={periods}
        />
      ))}
  </div>
);

const Day = ({ at, isEnd = false }: Readonly<{ at: string; isEnd?: boolean }>) => (
  <time dateTime={at} title={exactTime(at)}>
    {boundText(at, isEnd)}
  </time>
);

/** `nameOf`: of a provider. */
const Totals = ({ totals, nameOf }: Readonly<{ totals: readonly Total[]; nameOf: (id: string) => string }>) => (
  <Table
    caption="Totals by provider"
    heading
    columns={[
      { name: 'Provider', show: (row) => <span title={row.provider}>{nameOf(row.provider)}</span> },
      { name: 'Metric', show: (row) => row.metric },
      { name: 'Sum of the periods', end: true, show: ({ total, unit }) => `${figure(total)} ${unit}` },
    ]}
    rows={totals}
    keyOf={(row) => `${row.provider} ${row.metricId}`}
  />
);

/** Metrics that have no total. */
const Unsummed = ({ rows, totals }: Readonly<{ rows: readonly ReportRow[]; totals: readonly Total[] }>) => {
  const summed = new Set(totals.map(({ metricId }) => metricId));
  const averages = new Set(rows.flatMap(({ metric, metricId }) => (summed.has(metricId) ? [] : [metric])));
  return averages.size > 0 && <p class="quiet">Averages have no sum: {[...averages].join(', ')}.</p>;
};

const Report = ({ asked, providers }: ChosenProps) => {
  const { project, provider, installation, from, to } = asked;
  const asOf = useAsOf();
  const report = useData((signal) => loadReport(asked, asOf, signal), [project, provider, installation, from, to, asOf]);
  const acting = useActing();
  const nameOf = (id: string): string => providers.find((one) => one.id === id)?.name || id;
  const keep = (totals: readonly Total[], moment: string) =>
    acting.act(async () => {
      const then = asOf === undefined ? '' : `-as-of-${asOf.replace(/[-:]/g, '')}`;
      download(`accounting-${project}-${from}-${to}${then}.csv`, 'text/csv', withTotals(await loadCsv(asked, moment), totals, asked));
      return 'Downloaded the report';
    });
  return (
    <Loading of={report}>
      {({ rows, totals, moment }) => (
        <>
          <div class="buttons">
            <Button text="Download CSV" onClick={() => keep(totals, moment)} disabled={acting.busy} />
            <span class="quiet">In the file the end of a period is not included.</span>
          </div>
          <Outcome said={acting.said} error={acting.error} />
          <Charts rows={rows} />
          {totals.length > 0 && (
            <>
              <Totals totals={totals} nameOf={nameOf} />
              <Unsummed rows={rows} totals={totals} />
            </>
          )}
          <Table
            caption={`Usage from ${from} to ${to}`}
            heading
            columns={[
              { name: 'Installation', show: (row) => row.installation },
              { name: 'Provider', show: (row) => <span title={row.provider}>{nameOf(row.provider)}</span> },
              { name: 'Metric', show: (row) => row.metric },
              { name: 'From (UTC)', show: (row) => <Day at={row.from} /> },
              { name: 'To (UTC)', show: (row) => <Day at={row.to} isEnd /> },
              { name: 'Total', end: true, show: ({ total, unit }) => `${figure(total)} ${unit}` },
              { name: 'Capacity', end: true, show: ({ capacity, unit }) => (capacity === null ? '–' : `${figure(capacity)} ${unit}`) },
              { name: 'Usage', end: true, show: ({ usage }) => (usage === null ? '–' : `${usage} %`) },
            ]}
            rows={rows}
            keyOf={(row) => `${row.installationId} ${row.metricId} ${row.from}`}
            empty="Nothing was recorded for this."
          />
        </>
      )}
    </Loading>
  );
};

/** `time`: of the point that is shown. */
const AccountingAt = ({ query, time }: Pick<ViewProps, 'query'> & Readonly<{ time: number }>) => {
  const asOf = useAsOf();
  const given = (name: string): string => query.get(name) ?? '';
  const named = given('project');
  const project = useData(async (signal) => named || loadFirstProject(asOf, signal), [named, asOf]);
  const days = lastMonth(time);
  return (
    <Loading of={project}>
      {(id) =>
        id === '' ? (
          <p class="empty">
            {asOf === undefined
              ? 'There are no projects yet. The usage of a project is shown here once the accounting service has one; its administrators create them.'
              : 'There was no project yet.'}
          </p>
        ) : (
          <Shown
            asked={{
              project: id,
              provider: given('provider'),
              installation: given('installation'),
              from: given('from') || days.from,
              to: given('to') || days.to,
            }}
          />
        )
      }
    </Loading>
  );
};

/** A report of usage and capacity of a project, a provider in it, or an installation. At first of the first project. */
export default function Accounting({ query }: ViewProps) {
  return <Loading of={useTimeShown()}>{(time) => <AccountingAt query={query} time={time} />}</Loading>;
}
