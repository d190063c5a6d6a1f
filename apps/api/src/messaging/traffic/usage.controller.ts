import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountReader } from '#api/messaging/accounts/account-reader.js';
import * as errors from '#api/messaging/errors.js';
import { callerIfAny, MessagingRoute, OpenMessagingRoute } from '#api/messaging/http-policy.js';
import { sendJ1, sendJ3 } from '#api/messaging/responses.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
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
  private readonly accounts: AccountReader;
  private readonly report: UsageReport;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    traffic: TrafficQueries,
  ) {
    this.accounts = new AccountReader(store);
    this.report = new UsageReport(store, traffic);
  }

  @Get('metrics')
  @MessagingRoute('ams:metrics')
  @ApiOperation({ summary: 'What the node that answers takes of its processor and memory' })
  operational(@Res() reply: FastifyReply): void {
    sendJ3(reply, { metrics: this.nodeMetrics() });
  }

  @Get('metrics/va_metrics')
  @MessagingRoute('ams:vaMetrics')
  @ApiOperation({ summary: 'Use of projects over time' })
  @StartDate()
  @EndDate()
  @Projects()
  async usage(@Query() query: Parameters, @Res() reply: FastifyReply): Promise<void> {
    const window = windowOf(query, this.clock());
    sendJ1(reply, await this.report.on(await this.projectsNamed(projectsOf(query)), window));
  }

  @Get('users/usageReport')
  @OpenMessagingRoute('users:usageReport')
  @ApiOperation({ summary: 'Use of the projects that the caller administers, and metrics of the node; without such a project neither' })
  @StartDate()
  @EndDate()
  @Projects()
  async usageOfOwn(@Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerIfAny(request);
    if (caller?.kind !== 'user') throw errors.unauthorized();
    const window = windowOf(query, this.clock());
    const administered = caller.memberships.filter(({ roles }) => roles.includes('project_admin')).map(({ projectId }) => projectId);
    const projects = (await this.accounts.projects(administered)).filter((project) => project !== undefined);
    const wanted = projectsOf(query);
    const listed = wanted ? projects.filter(({ name }) => wanted.includes(name)) : projects;
    const metrics = listed.length === 0 ? [] : this.nodeMetrics();
    sendJ3(reply, { va_metrics: await this.report.on(listed, window), operational_metrics: { metrics } });
  }

  private nodeMetrics() {
    return nodeMetrics(wireInstant(new Date(this.clock()).toISOString()));
  }

  /** All projects when there are no names. @throws MessagingError N09 */
  private async projectsNamed(names: readonly string[] | undefined): Promise<readonly ProjectReference[]> {
    if (!names) return this.accounts.allProjects();
    const found = await this.accounts.projectsNamed(names);
    return found.map((project, index) => {
      if (!project) throw errors.namedProjectNotFound(names[index] ?? '');
      return project;
    });
  }
}
