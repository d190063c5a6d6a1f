import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { INSTALLATION_INSTALLATION } from './components.js';
import { MESSAGE } from './envelopes.js';

export const INSTALLATIONS_ANSWERS: Catalogue = {
  'post /accounting-system/installations': {
    answers: {
      201: answer(INSTALLATION_INSTALLATION, {
        id: '6b0150cbd043ef0a05000002',
        project: 'project-17',
        organisation: 'provider-20',
        infrastructure: 'i',
        installation: 'installation-23',
        resource: 'resource-21',
        external_id: '384bb2bc-dc8c-4978-9314-51e95516c05b',
        unit_of_access: {
          metric_definition_id: '6b0150cad043ef0a05000001',
          metric_name: 'metric-22',
          metric_description: null,
          unit_type: 'TB',
          metric_type: 'count',
          creator_id: '723e0cd4-ac2d-4017-b075-4b3e2adbb922',
        },
      }),
    },
    body: { project: 'project-1', organisation: 'provider-2', infrastructure: 'i', installation: 'installation-3' },
  },
  'get /accounting-system/installations/external': {
    answers: {
      200: answer(INSTALLATION_INSTALLATION, {
        id: '6b01500af8c12ae7c7000002',
        project: 'project-1',
        organisation: 'provider-2',
        infrastructure: 'okeanos',
        installation: 'vm',
        resource: 'resource-3',
        external_id: 'ext-1',
        unit_of_access: {
          metric_definition_id: '6b015009f8c12ae7c7000001',
          metric_name: 'metric-4',
          metric_description: null,
          unit_type: 'TB',
          metric_type: 'count',
        },
      }),
    },
  },
  'patch /accounting-system/installations/external': {
    answers: {
      200: answer(INSTALLATION_INSTALLATION, {
        id: '6b0151512e1a5d8fb2000002',
        project: 'project-12',
        organisation: 'provider-13',
        infrastructure: 'way 2',
        installation: 'installation-15',
        external_id: 'a vm/ö?%2F&=#:.. x',
        unit_of_access: {
          metric_definition_id: '6b0151502e1a5d8fb2000001',
          metric_name: 'metric-14',
          metric_description: null,
          unit_type: 'TB',
          metric_type: 'count',
        },
      }),
    },
    body: {},
  },
  'delete /accounting-system/installations/external': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Installation has been deleted successfully.' }) },
  },
  'get /accounting-system/installations/{installation_id}': {
    answers: {
      200: answer(INSTALLATION_INSTALLATION, {
        id: '6b014fba40ed97dc26000003',
        project: 'alpha',
        organisation: 'grnet',
        infrastructure: 'north',
        installation: 'Athens.1',
        resource: 'disk',
        external_id: 'd8645a63-ca42-42ad-8801-35e5e0ac30e3',
        unit_of_access: {
          metric_definition_id: '6b014fb940ed97dc26000001',
          metric_name: 'used',
          metric_description: 'space',
          unit_type: 'TB',
          metric_type: 'count',
        },
      }),
    },
  },
  'patch /accounting-system/installations/{installation_id}': {
    answers: {
      200: answer(INSTALLATION_INSTALLATION, {
        id: '6b015082090a9bec1f000011',
        project: 'project-28',
        organisation: 'provider-30',
        infrastructure: 'i',
        installation: 'installation-34',
        resource: 'resource-32',
        external_id: 'a586508b-563f-4724-90c1-852a97191625',
        unit_of_access: {
          metric_definition_id: '6b015082090a9bec1f000010',
          metric_name: 'metric-33',
          metric_description: null,
          unit_type: 'TB',
          metric_type: 'count',
        },
      }),
    },
    body: { infrastructure: 'other', installation: 'vm2', resource: '', unit_of_access: null, external_id: 'x', id: 'y', project: 'z' },
  },
  'delete /accounting-system/installations/{installation_id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Installation has been deleted successfully.' }) },
  },
};
