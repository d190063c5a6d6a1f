import { hostname, totalmem } from 'node:os';
import { Inject, Query } from '@nestjs/common';
import { json } from '#api/messaging/answers/answers.js';
import * as errors from '#api/messaging/errors.js';
import { type MessagingCaller } from '#api/messaging/http-policy.js';
import { METRICS, USAGE_REPORT } from '#api/messaging/openapi/components.js';
import { CPU_USAGE, USAGE_REPORT as USAGE } from '#api/messaging/openapi/examples.js';
import { CallerIfAny } from '#api/messaging/parameters.js';
import { METRICS_VIEWERS } from '#api/messaging/roles.js';
import { Get, MessagingController } from '#api/messaging/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j1, j3, wireInstant } from '#projections/messaging/layout.js';
import { type MetricView, metrics } from './metric-views.js';
import { UsageReport } from './usage-report.js';
import { projectsOf, windowOf } from './usage-window.js';

/** Share of the processor since the start, and of the host's memory, that this process uses, in percent. */
const nodeMetrics = (timestamp: string): readonly MetricView[] => {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1e6 / process.uptime();
  const memory = process.memoryUsage.rss() / totalmem();
  return [
    metrics.cpuUsage(hostname(), { timestamp, value: cpu * 100 }),
    metrics.memoryUsage(hostname(), { timestamp, value: memory * 100 }),
  ];
};

type Parameters = Readonly<Record<string, unknown>>;
const REPORT = {
  projects: parameter('text', 'Names, separated by commas; default all'),
  end_date: parameter('day', '`YYYY-MM-DD`, included; default today, UTC'),
  start_date: parameter('day', '`YYYY-MM-DD`, included; default 1970-01-01'),
};

/** Metrics and reports over all projects (messaging contract 3.9). */
@MessagingController('v1', 'messaging: metrics')
export class UsageController {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly report: UsageReport,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('metrics', {
    id: 'getMessagingNodeMetrics',
    summary: 'What the node that answers takes of its processor and memory',
    who: METRICS_VIEWERS,
    answers: shows(METRICS, { metrics: [CPU_USAGE] }),
  })
  operational(): Answer {
    return json(j3({ metrics: this.nodeMetrics() }));
  }

  @Get('metrics/va_metrics', {
    id: 'getUsageReport',
    summary: 'Use of projects over time',
    who: METRICS_VIEWERS,
    query: REPORT,
    errors: [errors.invalidStartDate(), errors.invalidEndDate(), errors.startAfterEnd(), errors.namedProjectNotFound('EGI')],
    answers: shows(USAGE_REPORT, USAGE),
  })
  async usage(@Query() query: Parameters): Promise<Answer> {
    const window = windowOf(query, this.clock());
    return json(j1(await this.report.on(await this.projectsNamed(projectsOf(query)), window)));
  }

  @Get('users/usageReport', {
    id: 'getOwnUsageReport',
    summary: 'Use of the projects that the caller administers, and metrics of the node; without such a project neither',
    who: 'anyone',
    query: REPORT,
    errors: [errors.invalidStartDate(), errors.invalidEndDate(), errors.startAfterEnd()],
    answers: shows(
      { va_metrics: USAGE_REPORT, operational_metrics: METRICS },
      { va_metrics: USAGE, operational_metrics: { metrics: [CPU_USAGE] } },
    ),
  })
  async usageOfOwn(@CallerIfAny() caller: MessagingCaller | undefined, @Query() query: Parameters): Promise<Answer> {
    if (caller?.kind !== 'user') throw errors.unauthorized();
    const window = windowOf(query, this.clock());
    const administered = caller.memberships.filter(({ roles }) => roles.includes('project_admin')).map(({ projectId }) => projectId);
    const projects = (await this.accounts.projects(administered)).filter((project) => project !== undefined);
    const wanted = projectsOf(query);
    const listed = wanted ? projects.filter(({ name }) => wanted.includes(name)) : projects;
    const metrics = listed.length === 0 ? [] : this.nodeMetrics();
    return json(j3({ va_metrics: await this.report.on(listed, window), operational_metrics: { metrics } }));
  }

  private nodeMetrics(): readonly MetricView[] {
    return nodeMetrics(wireInstant(new Date(this.clock()).toISOString()));
  }

  /** All projects if there are no names. @throws MessagingError N09 */
  private async projectsNamed(names: readonly string[] | undefined): Promise<readonly ProjectReference[]> {
    if (!names) return this.accounts.allProjects(new TimeSlice());
    const found = await this.accounts.projectsNamed(names);
    return found.map((project, index) => {
      if (!project) throw errors.namedProjectNotFound(names[index] ?? '');
      return project;
    });
  }
}
