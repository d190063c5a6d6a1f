import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { sendJson } from '#api/accounting/responses.js';
import { version } from '#api/accounting/version.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { COUNTS_PROJECTION, countCollections } from '#projections/accounting/catalogue/counts.js';
import { dayInKey, USAGE_PROJECTION, usageCollections } from '#projections/accounting/metrics/usage-documents.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { requireSystem } from './permissions.js';

/** The day that a text names, more freely than elsewhere: one digit may do, and days beyond the end of a month go on in the next. */
const lenientDay = (text: string | undefined): Day => {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text ?? '') ?? [];
  if (year === undefined) throw errors.badCountDate();
  const instant = new Date(0);
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return dayOf(instant.toISOString());
};

const sum = (documents: readonly StoredDocument[]): number => documents.reduce((total, { value }) => total + Number(value.toString()), 0);

/** Facts about the service as a whole (accounting contract 3.11). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin')
export class AdministrationController {
  private readonly view: ReadView;
  private readonly usage: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.view = store.view(COUNTS_PROJECTION);
    this.usage = store.view(USAGE_PROJECTION);
  }

  @Get('version')
  @AccountingRoute()
  @ApiOperation({ summary: 'The version of the program' })
  version(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    requireSystem(accountingCaller(request));
    sendJson(reply, JSON.stringify({ version }));
  }

  @Get('metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'How many metric definitions, metrics and clients were made from one day to another' })
  @ApiQuery({ name: 'startDate', description: 'yyyy-MM-dd' })
  @ApiQuery({ name: 'endDate', description: 'yyyy-MM-dd; this day itself counts for clients only' })
  async counts(
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireSystem(accountingCaller(request));
    const [start, end] = [lenientDay(firstOf(query.startDate)), lenientDay(firstOf(query.endDate))];
    if (start > end) throw errors.badCountRange();
    const { actors, definitions } = countCollections;
    const [ofActors, ofDefinitions, ofMetrics] = await Promise.all([
      this.view.range(actors, { gte: start, lte: end }),
      this.view.range(definitions, { gte: start, lt: end }),
      this.usage.range(usageCollections.recorded, {}),
    ]);
    const metricsInside = ofMetrics.filter(({ key }) => dayInKey(key) >= start && dayInKey(key) < end);
    sendJson(
      reply,
      JSON.stringify({ metric_definition_count: sum(ofDefinitions), metric_count: sum(metricsInside), actor_count: sum(ofActors) }),
    );
  }
}
