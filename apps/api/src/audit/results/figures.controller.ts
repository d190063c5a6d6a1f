import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AsOfForAuditors } from '#api/audit/as-of.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { day, membersOf } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_EVENTS } from '#api/shared/tokens.js';
import { lateDays } from '#api/status/results/late-days.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { numberText } from '#domain/status/results/figures/number-text.js';
import { sumOfFigures } from '#domain/status/results/figures/periods.js';
import type { Figures } from '#domain/status/results/results.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import type { DaySpan, ReportReader } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { FIGURES_OF_GROUPS, REPORTS_OF_TENANT, TENANTS_WITH_RESULTS } from './documentation.js';
import { isTenantId, momentShown, ResultsThen } from './results-then.js';

const [MOST_TENANTS, MOST_REPORTS, MOST_DAYS, MOST_ITEMS] = [1_000, 1_000, 92, 200_000];
const DAY_MS = 86_400_000;
const WRONG = 'the request is not as this call takes it';
const NO_TENANT = 'there is no such tenant';
const NO_REPORT = 'the tenant has no report of this name';

class SpanQuery extends membersOf({
  from: day({ description: 'inclusive', example: '2026-03-01' }),
  to: day({ description: `inclusive; at most ${MOST_DAYS} days with \`from\``, example: '2026-03-31' }),
}) {}

type Path = Readonly<{ tenant: string; report: string }>;

const REFUSALS = {
  400: PROBLEM('the header or a parameter is no value of its kind; `errors` names it'),
  403: PROBLEM('`Logbook-As-Of` needs the role auditor'),
  503: PROBLEM('read models are behind, or the history is; see Retry-After'),
};

/** Availability and reliability of endpoint groups, for operators and auditors (operations contract 2). They are not secret or personal. */
@OpsController('audit/results', 'audit')
export class FiguresController {
  constructor(
    private readonly then: ResultsThen,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
  ) {}

  @AsOfForAuditors()
  @Get('', {
    id: 'listTenantsWithResults',
    summary: 'Tenants of the status service, in the order of their creation',
    answers: { 200: TENANTS_WITH_RESULTS, ...REFUSALS },
  })
  tenants(@Call() call: OpsCall): Promise<Answered<typeof TENANTS_WITH_RESULTS>> {
    return this.then.read(call, ({ store, moment }) =>
      readAcross(async () => {
        const items: Answered<typeof TENANTS_WITH_RESULTS>['items'][number][] = [];
        for await (const page of new TenantQueries(store).byCreation(new TimeSlice())) {
          items.push(...page.map(({ id, info }) => ({ id, name: info.name })));
          if (items.length >= MOST_TENANTS) break;
        }
        return { asOf: momentShown(moment), items: items.slice(0, MOST_TENANTS) };
      }),
    );
  }

  @ApiParam({ name: 'tenant', description: 'id', example: '6ac7d684-1f8e-4a02-a502-720e8f11e50b' })
  @AsOfForAuditors()
  @Get(':tenant', {
    id: 'listReportsWithResults',
    summary: 'Names of the reports of a tenant that are computed',
    answers: { 200: REPORTS_OF_TENANT, ...REFUSALS, 404: PROBLEM(NO_TENANT) },
  })
  reports(@Call() call: OpsCall, @Param() { tenant: tenantId }: Pick<Path, 'tenant'>): Promise<Answered<typeof REPORTS_OF_TENANT>> {
    return this.then.read(call, async ({ store, moment }) => {
      const tenant = isTenantId(tenantId) ? await new TenantQueries(store).tenant(tenantId) : undefined;
      if (!tenant) throw new Problem(404, NO_TENANT);
      const reports = new ReportQueries(store);
      const names = await reports.names(tenantId, MOST_REPORTS, new TimeSlice());
      const found = await reports.byNames(names.map((name) => ({ tenantId, name })));
      return {
        asOf: momentShown(moment),
        id: tenantId,
        name: tenant.info.name,
        reports: names.filter((_, at) => found[at]?.disabled === false),
      };
    });
  }

  @ApiParam({ name: 'tenant', description: 'id', example: '6ac7d684-1f8e-4a02-a502-720e8f11e50b' })
  @ApiParam({ name: 'report', description: 'name', example: 'Critical' })
  @AsOfForAuditors()
  @Get(':tenant/:report', {
    id: 'listFiguresOfGroups',
    summary: 'Availability and reliability of the endpoint groups of a report, by day and by month',
    description: 'Days without results are left out. Months are computed from the days of the call.',
    answers: {
      200: FIGURES_OF_GROUPS,
      ...REFUSALS,
      404: PROBLEM(NO_REPORT),
      413: PROBLEM(`there are more than ${MOST_ITEMS} groups, counted for each day`),
    },
  })
  figures(
    @Call() call: OpsCall,
    @Param() path: Path,
    @StrictQuery(SpanQuery) { from, to }: SpanQuery,
  ): Promise<Answered<typeof FIGURES_OF_GROUPS>> {
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) throw new Problem(400, WRONG, [{ member: 'to', detail: 'must not be before `from`' }]);
    if (days > MOST_DAYS) throw new Problem(400, WRONG, [{ member: 'to', detail: `must be at most ${MOST_DAYS} days from \`from\`` }]);
    return this.then.read(call, async ({ store, results, moment }) => {
      const report = isTenantId(path.tenant) ? await results.report(path.tenant, path.report) : undefined;
      if (!report) throw new Problem(404, NO_REPORT);
      const sources = { points: new PointQueries(store), index: this.audit.index };
      const late = await lateDays(sources, path.tenant, { from, to }, new TimeSlice());
      return { asOf: momentShown(moment), ...(await figuresOf(report, { from, to })), late };
    });
  }
}

type Group = { days: { day: string; figures: Figures }[] };

const shown = ({ availability, reliability }: Figures) => ({
  availability: numberText(availability),
  reliability: numberText(reliability),
});

/** Monthly figures in the form of results (results contract 9). Days must be ascending. */
const monthsOf = ({ days }: Group) =>
  [...new Set(days.map(({ day }) => day.slice(0, 7)))].map((month) => {
    const sum = sumOfFigures();
    for (const { day, figures } of days) if (day.startsWith(month)) sum.add(figures);
    return { month, ...shown(sum.result()) };
  });

const figuresOf = async (report: ReportReader, span: DaySpan): Promise<Omit<Answered<typeof FIGURES_OF_GROUPS>, 'asOf' | 'late'>> => {
  const groups = new Map<string, Group>();
  if (report.computations.ar && !report.disabled) {
    if ((await report.itemDays(span, 'groups')) > MOST_ITEMS)
      throw new Problem(413, `there are more than ${MOST_ITEMS} groups, counted for each day: ask for fewer days`);
    for await (const { day, groups: found } of report.days(span))
      for (const { name, figures } of found) {
        const group = groups.get(name) ?? { days: [] };
        groups.set(name, group);
        group.days.push({ day, figures });
      }
  }
  return {
    report: report.name,
    type: report.types[1] ?? null,
    groups: [...groups]
      .sort(([one], [other]) => byBytes(one, other))
      .map(([name, group]) => ({
        name,
        days: group.days.map(({ day, figures }) => ({ day, ...shown(figures) })),
        months: monthsOf(group),
      })),
  };
};
