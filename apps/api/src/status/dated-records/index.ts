import type { Provider, Type } from '@nestjs/common';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { provides } from '#api/shared/provides.js';
import { READ_STORE } from '#api/shared/tokens.js';
import type { NamedRecord } from '#domain/status/dated-records/dated-records.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { aggregationProfilesKind } from './aggregation-profiles.js';
import { datedController } from './dated-controller.js';
import type { DatedKind } from './dated-kind.js';
import { FactorsController } from './factors.controller.js';
import { metricProfilesKind } from './metric-profiles.js';
import { operationsProfilesKind } from './operations-profiles.js';
import { queriesOf } from './queries-of.js';
import { thresholdsProfilesKind } from './thresholds-profiles.js';
import { weightsKind } from './weights.js';

const ofKind = <R extends NamedRecord>(kind: DatedKind<R>): Readonly<{ controller: Type; providers: readonly Provider[] }> => ({
  controller: datedController(kind),
  providers: [
    provides(queriesOf(kind.resource), [READ_STORE], (store) => new DatedQueries(store, kind.resource)),
    ...handlersOf(kind.commands),
  ],
});

/** To serve a new kind of dated record, add it here. */
const kinds = [
  ofKind(operationsProfilesKind),
  ofKind(metricProfilesKind),
  ofKind(aggregationProfilesKind),
  ofKind(thresholdsProfilesKind),
  ofKind(weightsKind),
];

export const datedRecordsFeature: Feature = {
  controllers: [...kinds.map(({ controller }) => controller), FactorsController],
  providers: kinds.flatMap(({ providers }) => providers),
};
