import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { PROVIDER_PROVIDER, PROVIDER_PROVIDER2 } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const PROVIDERS_ANSWERS: Catalogue = {
  'post /accounting-system/providers': {
    answers: {
      201: answer(PROVIDER_PROVIDER, {
        id: 'grnet',
        name: 'GRNET (a+b)',
        website: 'https://grnet.example',
        abbreviation: 'GR',
        logo: null,
        external_id: 'fc1c1689-cd5f-43d5-acfc-046da1e40f77',
        creator_id: 'f62f5386-a2ec-4369-b1a4-59c067f7d348',
      }),
    },
    body: { id: 'provider-2', name: 'name of provider-2' },
  },
  'get /accounting-system/providers': {
    answers: {
      200: answer(pageOf(PROVIDER_PROVIDER), {
        size_of_page: 4,
        number_of_page: 1,
        total_elements: 4,
        total_pages: 1,
        content: [
          { id: 'eosc.one', name: 'name of eosc.one', website: 'w', abbreviation: 'a', logo: 'l', external_id: null, creator_id: '' },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/providers/all': {
    answers: {
      200: answer(pageOf(PROVIDER_PROVIDER2), {
        size_of_page: 5,
        number_of_page: 1,
        total_elements: 5,
        total_pages: 1,
        content: [
          {
            id: '6b014f4a3d8af3b04f000001',
            name: 'nameless-3',
            website: null,
            abbreviation: null,
            logo: null,
            project_id: 'project-4',
            project_acronym: 'acronym of project-4',
            installations: [],
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/providers/external': {
    answers: {
      200: answer(PROVIDER_PROVIDER, {
        id: 'provider-2',
        name: 'name of provider-2',
        website: null,
        abbreviation: null,
        logo: null,
        external_id: 'external-provider',
        creator_id: '82e00424-a3d6-44b8-89a8-6fc78a2f58b1',
      }),
    },
  },
  'patch /accounting-system/providers/external': {
    answers: {
      200: answer(PROVIDER_PROVIDER, {
        id: 'provider-18',
        name: 'name of provider-18',
        website: null,
        abbreviation: null,
        logo: 'way 2',
        external_id: 'provider/ext 1',
        creator_id: '145aeafe-1cb6-47b8-814a-764db68fc3a1',
      }),
    },
    body: { logo: 'way 2' },
  },
  'delete /accounting-system/providers/external': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Provider has been deleted successfully.' }) },
  },
  'get /accounting-system/providers/{provider_id}': {
    answers: {
      200: answer(PROVIDER_PROVIDER, {
        id: 'grnet',
        name: 'GRNET (a+b)',
        website: 'https://grnet.example',
        abbreviation: 'GR',
        logo: null,
        external_id: 'fc1c1689-cd5f-43d5-acfc-046da1e40f77',
        creator_id: 'f62f5386-a2ec-4369-b1a4-59c067f7d348',
      }),
    },
  },
  'patch /accounting-system/providers/{provider_id}': {
    answers: {
      200: answer(PROVIDER_PROVIDER, {
        id: 'provider-18',
        name: 'name of provider-18',
        website: null,
        abbreviation: null,
        logo: 'way 0',
        external_id: 'provider/ext 1',
        creator_id: '145aeafe-1cb6-47b8-814a-764db68fc3a1',
      }),
    },
    body: { logo: 'way 0' },
  },
  'delete /accounting-system/providers/{provider_id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Provider has been deleted successfully.' }) },
  },
};
