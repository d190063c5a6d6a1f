import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { dayListQueriesProvider } from '#api/status/day-lists/providers.js';
import { topologyEndpointsKind } from './endpoints.js';
import { topologyGroupsKind } from './groups.js';
import { topologyServiceTypesKind } from './service-types.js';
import { type TopologyKind, topologyController } from './topology-controller.js';
import { TopologyLists } from './topology-lists.js';
import { TopologyReportsController } from './topology-reports.controller.js';

const ofKind = <Body, Item extends object>(kind: TopologyKind<Body, Item>) => ({
  controller: topologyController(kind),
  providers: [dayListQueriesProvider(kind.list), ...handlersOf(kind.commands)],
});

const kinds = [ofKind(topologyEndpointsKind), ofKind(topologyGroupsKind), ofKind(topologyServiceTypesKind)];

export const topologyFeature: Feature = {
  controllers: [...kinds.map(({ controller }) => controller), TopologyReportsController],
  providers: [...kinds.flatMap(({ providers }) => providers), TopologyLists],
};
