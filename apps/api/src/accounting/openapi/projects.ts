import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { CLIENT, INSTALLATION_INSTALLATION, PROJECT } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const PROJECTS_ANSWERS: Catalogue = {
  'get /accounting-system/projects': {
    answers: {
      200: answer(pageOf(CLIENT), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 2,
        total_pages: 2,
        content: [
          {
            id: 'project-35',
            acronym: 'acronym of project-35',
            title: 't',
            start_date: '2030-01-01',
            end_date: '2032-12-31',
            call_identifier: 'c',
            providers: [],
          },
        ],
        links: [{ href: 'http://logbook.example/accounting-system/projects?page=1&size=1', rel: 'first' }],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}': {
    answers: {
      200: answer(CLIENT, {
        id: 'project-17',
        acronym: 'acronym of project-17',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        providers: [
          {
            id: 'provider-18',
            name: 'name of provider-18',
            external_id: 'a6163cd0-ebc8-4fbf-866e-34e40fb4317a',
            website: null,
            abbreviation: null,
            logo: null,
            installations: [],
          },
        ],
      }),
    },
  },
  'post /accounting-system/projects/{project_id}/associate/provider/external': {
    answers: {
      200: answer(MESSAGE, { code: 200, message: 'The following provider provider-18 has been associated with Project project-16' }),
    },
  },
  'post /accounting-system/projects/{project_id}/dissociate/provider/external': {
    answers: {
      200: answer(MESSAGE, { code: 200, message: 'The following provider provider-18 has been dissociated from Project project-16' }),
    },
  },
  'get /accounting-system/projects/{project_id}/installations': {
    answers: {
      200: answer(pageOf(INSTALLATION_INSTALLATION), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 3,
        total_pages: 2,
        content: [
          {
            id: '6b01508b090a9bec1f000019',
            project: 'project-43',
            organisation: 'provider-44',
            infrastructure: 'i',
            installation: 'installation-47',
            external_id: '7cfad0d3-1511-4323-adda-cbd6ed16b834',
          },
        ],
        links: [{ href: 'http://logbook.example/accounting-system/projects/project-43/installations?page=1&size=2', rel: 'first' }],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/external/installations': {
    answers: {
      200: answer(pageOf(PROJECT), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            id: '6b01515d2e1a5d8fb200000a',
            project: 'project-16',
            organisation: 'provider-18',
            infrastructure: 'i',
            installation: 'installation-19',
            external_id: 'df92c542-05ce-4c51-80fc-2af311b3e72b',
          },
        ],
        links: [],
      }),
    },
  },
  'post /accounting-system/projects/{project_id}/associate/provider/{provider_id}': {
    answers: {
      200: answer(MESSAGE, {
        code: 200,
        message: 'The following provider 6b014f4a3d8af3b04f000001 has been associated with Project project-4',
      }),
    },
  },
  'post /accounting-system/projects/{project_id}/dissociate/provider/{provider_id}': {
    answers: {
      200: answer(MESSAGE, { code: 200, message: 'The following provider provider-26 has been dissociated from Project project-25' }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/{provider_id}/installations': {
    answers: {
      200: answer(pageOf(INSTALLATION_INSTALLATION), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 3,
        total_pages: 2,
        content: [
          {
            id: '6b01508b090a9bec1f000019',
            project: 'project-43',
            organisation: 'provider-44',
            infrastructure: 'i',
            installation: 'installation-47',
            external_id: '7cfad0d3-1511-4323-adda-cbd6ed16b834',
          },
        ],
        links: [
          {
            href: 'http://logbook.example/accounting-system/projects/project-43/providers/provider-44/installations?page=1&size=2',
            rel: 'first',
          },
        ],
      }),
    },
  },
};
