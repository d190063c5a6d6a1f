import { Controller, Get, Inject, Options, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { sortInSlices } from '#api/shared/answers/sort-in-slices.js';
import { byBytes } from '#api/shared/answers/text-order.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { today } from '#api/status/day-query.js';
import { arrayPieces } from '#api/status/envelopes.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import { TenantRoute, tenantAdmission } from '#api/status/status-edge.js';
import { NARROW, XML_TYPE, xmlOf } from '#api/status/xml.js';
import type { Clock } from '#domain/shared/clock.js';
import { type Weights, weights } from '#domain/status/dated-records/weights.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DATED_PROJECTION } from '#projections/status/dated-records/dated-records.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { DatedReader, firstMember } from './dated-reader.js';

/** The weights that the older interface knows as factors (status extended contract 6). */
const FACTOR_TYPE = 'hepspec';

type Factor = Readonly<{ site: string; weight: string }>;

/** The newest of the snapshots that holds factors, the first by id when there are several. */
const newestOf = async (snapshots: AsyncIterable<readonly Buffer[]>): Promise<Buffer | undefined> => {
  let newest: Readonly<{ date: string; record: Buffer }> | undefined;
  for await (const page of snapshots) {
    for (const record of page) {
      if (firstMember(record, 'weight_type').toLowerCase() !== FACTOR_TYPE) continue;
      const date = firstMember(record, 'date');
      if (!newest || date > newest.date) newest = { date, record };
    }
  }
  return newest?.record;
};

/** By site; none without a snapshot. */
const factorsIn = async (snapshot: Buffer | undefined): Promise<readonly Factor[]> => {
  const { groups } = snapshot ? (JSON.parse(snapshot.toString('utf8')) as Weights) : { groups: [] };
  const factors = groups.map(({ name, value }) => ({ site: name, weight: String(value) }));
  await sortInSlices(factors, (one, other) => byBytes(one.site, other.site));
  return factors;
};

const AT_ONCE = 1_000;

function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += AT_ONCE) yield items.slice(start, start + AT_ONCE);
}

function* jsonPages(factors: readonly Factor[]): Generator<readonly Buffer[]> {
  for (const page of pagesOf(factors)) yield page.map((factor) => Buffer.from(wireText(factor, RECORD_DEPTH)));
}

async function* jsonPieces(factors: readonly Factor[]): Pieces {
  yield ['{\n "factors": '];
  yield* arrayPieces(jsonPages(factors), RECORD_DEPTH);
  yield ['\n}'];
}

async function* xmlPieces(factors: readonly Factor[]): Pieces {
  yield ['<root>'];
  const layout = { ...NARROW, prefix: NARROW.step };
  for (const page of pagesOf(factors)) yield page.map((attributes) => `\n${xmlOf({ name: 'Factor', attributes }, layout)}`);
  yield [factors.length === 0 ? '</root>' : '\n</root>'];
}

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
    const factors = await factorsIn(await newestOf(this.reader.snapshots(caller.tenantId, today(this.clock))));
    if (format === 'json') reply.type(JSON_TYPE).send(await bodyOfPieces(jsonPieces(factors)));
    else reply.type(XML_TYPE).send(await bodyOfPieces(xmlPieces(factors)));
  }

  @Options()
  @ApiOperation({ summary: 'The methods of factors' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, OPTIONS');
  }
}
