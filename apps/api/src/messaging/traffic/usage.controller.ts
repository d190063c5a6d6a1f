import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { json } from '#api/messaging/answers.js';
import * as errors from '#api/messaging/errors.js';
import { type MessagingCaller, MessagingRoute, OpenMessagingRoute } from '#api/messaging/http-policy.js';
import { CallerIfAny } from '#api/messaging/parameters.js';
import type { Answer } from '#api/shared/http/answer.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j1, j3, wireInstant } from '#projections/messaging/layout.js';
import type { MetricView } from './metric-views.js';
import { nodeMetrics } from './node-metrics.js';
import { UsageReport } from './usage-report.js';
import { projectsOf, windowOf } from './usage-window.js';

type Parameters = Readonly<Record<string, unknown>>;

const StartDate = () => ApiQuery({ name: 'start_date', required: false, description: '`YYYY-MM-DD`, included; default 1970-01-01' });
const EndDate = () => ApiQuery({ name: 'end_date', required: false, description: '`YYYY-MM-DD`, included; default today, UTC' });
const Projects = () => ApiQuery({ name: 'projects', required: false, description: 'Names, separated by commas; default all' });

/** Metrics and reports over all projects (messaging contract 3.9). */
@ApiTags('messaging: metrics')
@ApiSecurity('x-api-key')
@Controller('v1')
export class UsageController {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly report: UsageReport,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('metrics')
  @MessagingRoute('ams:metrics')
  @ApiOperation({ summary: 'What the node that answers takes of its processor and memory' })
  operational(): Answer {
    return json(j3({ metrics: this.nodeMetrics() }));
  }

  @Get('metrics/va_metrics')
  @MessagingRoute('ams:vaMetrics')
  @ApiOperation({ summary: 'Use of projects over time' })
  @StartDate()
  @EndDate()
  @Projects()
  async usage(@Query() query: Parameters): Promise<Answer> {
    const window = windowOf(query, this.clock());
    return json(j1(await this.report.on(await this.projectsNamed(projectsOf(query)), window)));
  }

  @Get('users/usageReport')
  @OpenMessagingRoute('users:usageReport')
  @ApiOperation({ summary: 'Use of the projects that the caller administers, and metrics of the node; without such a project neither' })
  @StartDate()
  @EndDate()
  @Projects()
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
