import { Controller, Get, Inject, Options, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import { type Weights, weights } from '#domain/status/weights.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DATED_PROJECTION } from '#projections/status/dated-records.js';
import { wireText } from '#projections/status/layout.js';
import { byBytes } from '../shared/text-order.js';
import { CLOCK, READ_STORE } from '../shared/tokens.js';
import { DatedReader } from './dated-reader.js';
import { today } from './day-query.js';
import { answerOptions, JSON_TYPE } from './responses.js';
import { TenantRoute, tenantAdmission } from './status-edge.js';
import { NARROW, XML_TYPE, xmlOf } from './xml.js';

/** The weights that the older interface knows as factors (status extended contract 6). */
const FACTOR_TYPE = 'hepspec';

type Snapshot = Weights & Readonly<{ date: string }>;
type Factor = Readonly<{ site: string; weight: string }>;

/** Of the newest of the snapshots that holds factors, the first by id when there are several; none: no factors. */
const factorsOf = (snapshots: readonly Snapshot[]): readonly Factor[] => {
  const holding = snapshots.filter(({ weight_type }) => weight_type.toLowerCase() === FACTOR_TYPE);
  const newest = holding.reduce<Snapshot | undefined>((best, one) => (best && best.date >= one.date ? best : one), undefined);
  const factors = (newest?.groups ?? []).map(({ name, value }) => ({ site: name, weight: String(value) }));
  return factors.sort((one, other) => byBytes(one.site, other.site));
};

@ApiTags('status: factors')
@ApiSecurity('x-api-key')
@Controller('api/v2/factors')
export class FactorsController {
  private readonly reader: DatedReader;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new DatedReader(store.view(DATED_PROJECTION), weights);
  }

  @Get()
  @TenantRoute('factors.list')
  @ApiOperation({ summary: 'The newest weights of the type hepspec, by site' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { caller, format } = tenantAdmission(request);
    const snapshots = await this.reader.snapshots(caller.tenantId, today(this.clock));
    const factors = factorsOf(snapshots.map((bytes) => JSON.parse(bytes.toString('utf8')) as Snapshot));
    if (format === 'json') {
      reply.type(JSON_TYPE).send(wireText({ factors }));
      return;
    }
    const elements = factors.map((attributes) => ({ name: 'Factor', attributes }));
    reply.type(XML_TYPE).send(xmlOf({ name: 'root', content: elements }, NARROW));
  }

  @Options()
  @ApiOperation({ summary: 'The methods of factors' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, OPTIONS');
  }
}
