import type { Paths } from '#api/shared/routes/route.js';

/** Paths of reads of a list and of one of it, with their operation ids. @param noun of one; that of all has an `s` */
export const pairV5 = (path: string, variable: string, noun: string): Paths => ({
  [path]: `list${noun}sV5`,
  [`${path}/:${variable}`]: `get${noun}V5`,
});

const SERVICE_TYPES = 'groups/:group/service-types';
export const GROUP_ENDPOINTS = 'groups/:group/endpoints';
export const TYPE_ENDPOINTS = `${SERVICE_TYPES}/:service/endpoints`;

/** What results and timelines have in common. @param noun of what is read */
export const pathsV5 = (noun: string): Readonly<Record<'groups' | 'services' | 'endpoints', Paths>> => ({
  groups: pairV5('groups', 'group', `Group${noun}`),
  services: pairV5(SERVICE_TYPES, 'service', `ServiceType${noun}`),
  endpoints: {
    ...pairV5('endpoints', 'endpoint', `Endpoint${noun}`),
    ...pairV5(GROUP_ENDPOINTS, 'endpoint', `GroupEndpoint${noun}`),
    ...pairV5(TYPE_ENDPOINTS, 'endpoint', `ServiceTypeEndpoint${noun}`),
  },
});
