import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { ADMINISTRATION, ADMINISTRATION_ADMINISTRATION, CLIENT, OIDC_TENANT } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const ADMINISTRATION_ANSWERS: Catalogue = {
  'get /accounting-system/admin/settings/metadata': {
    answers: {
      200: answer(pageOf({ key: 'text', current_value: 'text', default_value: 'text', allowed_values: ['text'] }), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [{ key: 'ENTITLEMENTS_MANAGEMENT', current_value: 'oidc', default_value: 'database', allowed_values: ['oidc'] }],
        links: [],
      }),
    },
  },
  'post /accounting-system/admin/oidc-tenants': {
    answers: {
      201: answer(OIDC_TENANT, {
        id: '6b015265e84a5a885d000002',
        issuer: 'http://127.0.0.1:36939/realms/other',
        tenant_id: 'tenant',
        client_id: 'client',
        secret: '********',
        authorization_path: '/auth',
        introspection_path: '/introspect',
        user_info_path: '/userinfo',
        token_path: '/token',
        auth_server_url: 'https://idp.example.org',
        user_id_token_claim: 'voperson_id',
        service_id_token_claim: 'azp',
        group_management_namespace: 'urn:other',
        group_management_parent: 'usage',
        entitlement_management: 'oidc',
      }),
    },
    body: {
      id: 'mine',
      issuer: 'https://first.example.org',
      tenant_id: 'first',
      client_id: 'client',
      secret: 'very-confidential',
      authorization_path: '/auth',
      introspection_path: '/introspect',
      user_info_path: '/userinfo',
      token_path: '/token',
      auth_server_url: 'https://idp.example.org',
      user_id_token_claim: 'voperson_id',
      service_id_token_claim: 'azp',
      group_management_namespace: 'urn:other',
      group_management_parent: 'usage',
      entitlement_management: 'oidc',
    },
  },
  'get /accounting-system/admin/oidc-tenants': {
    answers: {
      200: answer(pageOf(OIDC_TENANT), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            id: '6b015265e84a5a885d000002',
            issuer: 'http://127.0.0.1:36939/realms/other',
            tenant_id: 'tenant',
            client_id: 'client',
            secret: '********',
            authorization_path: '/auth',
            introspection_path: '/introspect',
            user_info_path: '/userinfo',
            token_path: '/token',
            auth_server_url: 'https://idp.example.org',
            user_id_token_claim: 'voperson_id',
            service_id_token_claim: 'azp',
            group_management_namespace: 'urn:other',
            group_management_parent: 'usage',
            entitlement_management: 'oidc',
          },
        ],
        links: [],
      }),
    },
  },
  'post /accounting-system/admin/entitlements': {
    answers: {
      201: answer(
        { code: 'integer', message: 'text', id: 'text' },
        { code: 201, message: 'Entitlement created successfully.', id: '6b0152d955e6e26d6d000002' },
      ),
    },
    body: { name: 'urn:other:group:usage:role=admin' },
  },
  'get /accounting-system/admin/entitlements': {
    answers: {
      200: answer(pageOf(ADMINISTRATION), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            id: '6b01531657e0a1eaf7000001',
            name: 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group:accounting:some-project:role=admin',
            registered_on: '2026-11-21T08:15:18.415',
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/admin/version': {
    answers: { 200: answer({ version: 'text' }, { version: '0.1.0' }) },
  },
  'get /accounting-system/admin/metrics': {
    answers: {
      200: answer(
        { metric_definition_count: 'integer', metric_count: 'integer', actor_count: 'integer' },
        { metric_definition_count: 0, metric_count: 0, actor_count: 0 },
      ),
    },
  },
  'get /accounting-system/admin/actors': {
    answers: {
      200: answer(pageOf(ADMINISTRATION_ADMINISTRATION), {
        size_of_page: 8,
        number_of_page: 1,
        total_elements: 8,
        total_pages: 1,
        content: [
          {
            id: 'cc3304f8c956a9b68e85b660',
            oidc_id: 'client-2',
            name: '',
            email: '',
            registered_on: '2026-11-21T08:15:18.985',
            issuer: 'http://127.0.0.1:37405',
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/admin/actors/entitlements': {
    answers: {
      200: answer(pageOf({ id: 'text', actor_id: 'text', entitlement_id: 'text', assigned_at: 'text' }), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [
          {
            id: '6b01531757e0a1eaf7000010',
            actor_id: 'b44353a8a7ed8ff731618be8',
            entitlement_id: '6b01531757e0a1eaf700000e',
            assigned_at: '2026-11-21T08:15:19.165',
          },
        ],
        links: [],
      }),
    },
  },
  'post /accounting-system/admin/projects': {
    answers: {
      201: answer(CLIENT, {
        id: 'project-12',
        acronym: 'acronym of project-12',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        providers: [],
      }),
    },
    body: {
      id: 'project-1',
      acronym: 'acronym of project-1',
      title: 't',
      start_date: '2030-01-01',
      end_date: '2032-12-31',
      call_identifier: 'c',
    },
  },
  'get /accounting-system/admin/projects': {
    answers: {
      200: answer(pageOf(CLIENT), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [
          {
            id: 'project-1',
            acronym: 'acronym of project-1',
            title: 't',
            start_date: '2030-01-01',
            end_date: '2032-12-31',
            call_identifier: 'c',
            providers: [
              {
                id: 'provider-2',
                name: 'name of provider-2',
                external_id: 'external-provider',
                website: null,
                abbreviation: null,
                logo: null,
                installations: [
                  { id: '6b015264e84a5a885d000001', infrastructure: 'i', installation: 'taken', external_id: 'external-installation' },
                ],
              },
            ],
          },
        ],
        links: [],
      }),
    },
  },
  'post /accounting-system/admin/register-projects': {
    answers: {
      200: answer(
        { code: 'integer', message: 'text', errors: ['text'] },
        { code: 200, message: 'Project(s) : [k3] registered successfully.', errors: ['Project k1 has already been registered.'] },
      ),
    },
    body: { projects: ['k1'] },
  },
  'put /accounting-system/admin/settings/{key}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Setting updated successfully.' }) },
    body: { value: 'oidc' },
  },
  'get /accounting-system/admin/oidc-tenants/{id}': {
    answers: {
      200: answer(OIDC_TENANT, {
        id: '6b0152ca2ae7b931fa000001',
        issuer: 'https://first.example.org',
        tenant_id: 'first',
        client_id: 'client',
        secret: '********',
        authorization_path: '/auth',
        introspection_path: '/introspect',
        user_info_path: '/userinfo',
        token_path: '/token',
        auth_server_url: 'https://idp.example.org',
        user_id_token_claim: 'voperson_id',
        service_id_token_claim: 'azp',
        group_management_namespace: 'urn:other',
        group_management_parent: 'usage',
        entitlement_management: 'oidc',
      }),
    },
  },
  'patch /accounting-system/admin/oidc-tenants/{id}': {
    answers: {
      200: answer(OIDC_TENANT, {
        id: '6b0152d655e6e26d6d000001',
        issuer: 'http://127.0.0.1:39275/realms/one',
        tenant_id: 'tenant',
        client_id: 'client',
        secret: '********',
        authorization_path: '/auth',
        introspection_path: '/introspect',
        user_info_path: '/userinfo',
        token_path: '/token',
        auth_server_url: 'https://idp.example.org',
        user_id_token_claim: 'voperson_id',
        service_id_token_claim: 'azp',
        group_management_namespace: 'urn:other',
        group_management_parent: 'usage',
        entitlement_management: 'database',
      }),
    },
    body: { client_id: 'other', token_path: '/t', secret: '********', issuer: '', tenant_id: null, id: 'mine', entitlement_management: '' },
  },
  'delete /accounting-system/admin/oidc-tenants/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'OIDC tenant configuration deleted successfully.' }) },
  },
  'get /accounting-system/admin/entitlements/{id}': {
    answers: {
      200: answer(ADMINISTRATION, {
        id: '6b01531657e0a1eaf7000001',
        name: 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group:accounting:some-project:role=admin',
        registered_on: '2026-11-21T08:15:18.415',
      }),
    },
  },
  'patch /accounting-system/admin/entitlements/{id}': {
    answers: { 200: answer(ADMINISTRATION, { id: '6b01531657e0a1eaf7000009', name: 'after', registered_on: '2026-11-21T08:15:18.805' }) },
    body: { name: 'after' },
  },
  'delete /accounting-system/admin/entitlements/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Entitlement was deleted successfully.' }) },
  },
  'get /accounting-system/admin/actors/{actorId}/entitlements': {
    answers: {
      200: answer(pageOf(ADMINISTRATION), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [{ id: '6b01531757e0a1eaf700000e', name: 'entitlement-3', registered_on: '2026-11-21T08:15:19.111' }],
        links: [],
      }),
    },
  },
  'patch /accounting-system/admin/projects/{id}': {
    answers: {
      200: answer(CLIENT, {
        id: 'project-17',
        acronym: 'acronym of project-17',
        title: 'x',
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
    body: { acronym: 'new', title: 'title', start_date: '2030-02-28', end_date: '2033-01-01', call_identifier: 'call', id: 'other' },
  },
  'delete /accounting-system/admin/projects/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Project deleted successfully.' }) },
  },
  'post /accounting-system/admin/entitlements/{id}/assign/{actorId}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Entitlement was assigned successfully.' }) },
  },
  'post /accounting-system/admin/entitlements/{id}/dissociate/{actorId}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Entitlement was dissociated successfully.' }) },
  },
};
