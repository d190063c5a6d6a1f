import { list, struct, text } from '#api/shared/bodies/body-shape.js';
import { DeleteDayList, WriteDayList } from '#api/status/day-lists/commands.js';
import * as docs from '#api/status/openapi/topology.js';
import { type TopologyServiceType, topologyServiceTypes } from '#domain/status/topology/topology.js';
import { TAKEN } from './topology-bodies.js';
import type { TopologyKind } from './topology-controller.js';

export class WriteTopologyServiceTypes extends WriteDayList<TopologyServiceType> {}
export class DeleteTopologyServiceTypes extends DeleteDayList {}

const shape = struct({ date: text, name: text, title: text, description: text, tags: list(text), tenant: text });

export const topologyServiceTypesKind: TopologyKind<ReturnType<(typeof shape)['read']>, TopologyServiceType> = {
  list: topologyServiceTypes,
  path: 'api/v2/topology/service-types',
  noun: 'ServiceTypes',
  shown: { record: docs.SERVICE_TYPE, request: docs.NEW_SERVICE_TYPES, item: docs.SENT_SERVICE_TYPE },
  shape,
  item: ({ name, title, description, tags }) => ({ name, title, description, ...(tags.length > 0 ? { tags } : {}) }),
  commands: { write: WriteTopologyServiceTypes, delete: DeleteTopologyServiceTypes },
  filters: [],
  texts: { what: 'service types', taken: `${TAKEN} list of service types` },
  othersSuffice: true,
};
