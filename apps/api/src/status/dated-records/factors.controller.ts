import { Inject } from '@nestjs/common';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { byBytes } from '#api/shared/answers/text-order.js';
import { Answer } from '#api/shared/http/answer.js';
import { CLOCK } from '#api/shared/tokens.js';
import { arrayPieces, json } from '#api/status/answers/answers.js';
import { NARROW, XML_TYPE, xmlOf } from '#api/status/answers/xml.js';
import { today } from '#api/status/day-query.js';
import { rootOf, showsInXmlToo } from '#api/status/openapi/in-xml.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { AnswersOptions, Get, READERS, StatusController } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { component, doc } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { type DatedQueries, recordIn, type Snapshot } from '#projections/status/dated-records/queries.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { queriesOf } from './queries-of.js';

/** The type of weights that the older interface calls factors (status extended contract 6). */
const FACTOR_TYPE = 'hepspec';

type Factor = Readonly<{ site: string; weight: string }>;

/** The newest snapshot with factors; of several, the first by id. */
const newestOf = async (pages: AsyncIterable<readonly Snapshot[]>): Promise<Buffer | undefined> => {
  let newest: Snapshot | undefined;
  for await (const page of pages) {
    for (const snapshot of page) {
      if (snapshot.head.weight_type?.toLowerCase() !== FACTOR_TYPE) continue;
      if (!newest || snapshot.head.date > newest.head.date) newest = snapshot;
    }
  }
  return newest?.body;
};

/** Factors by site; empty without a snapshot. */
const factorsIn = async (snapshot: Buffer | undefined): Promise<readonly Factor[]> => {
  const { groups } = snapshot ? recordIn(weights, snapshot) : { groups: [] };
  const factors = groups.map(({ name, value }) => ({ site: name, weight: String(value) }));
  await sortInSlices(factors, (one, other) => byBytes(one.site, other.site), new TimeSlice());
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

const FACTOR = { site: 'SITE-A', weight: '1234.5' };
const FACTORS = component('StatusFactors', { factors: [{ site: 'text', weight: doc('text', 'a number as text') }] }).shownAs({
  factors: [FACTOR],
});

@AnswersOptions('The methods of factors')
@StatusController('api/v2/factors', 'status: factors')
export class FactorsController {
  constructor(
    @Inject(queriesOf(weights)) private readonly queries: DatedQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('', {
    id: 'listFactors',
    summary: 'The newest weights of the type hepspec, by site',
    who: READERS,
    answers: showsInXmlToo(FACTORS, { example: rootOf(NARROW, { name: 'Factor', attributes: FACTOR }) }),
  })
  async list(@Call() { tenantId, format }: StatusCall): Promise<Answer> {
    const snapshots = this.queries.snapshotsWithHeads(tenantId, today(this.clock), new TimeSlice());
    const factors = await factorsIn(await newestOf(snapshots));
    if (format === 'json') return json(bodyOfPieces(jsonPieces(factors)));
    return new Answer(bodyOfPieces(xmlPieces(factors)), { type: XML_TYPE });
  }
}
