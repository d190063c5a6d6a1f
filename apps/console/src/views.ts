import type { View } from './shell/view.js';

/** In the order of the navigation. */
export const views: readonly View[] = [
  { name: 'Overview', path: '', roles: ['operator', 'auditor'], load: () => import('./views/overview/index.js') },
  { name: 'Changes', path: '/changes', roles: ['operator', 'auditor'], hasPast: true, load: () => import('./views/changes/index.js') },
  { name: 'Projections', path: '/projections', roles: ['operator'], load: () => import('./views/projections/index.js') },
  { name: 'Events', path: '/events', roles: ['operator', 'auditor'], hasPast: true, load: () => import('./views/events/index.js') },
  { name: 'Resources', path: '/resources', roles: ['auditor'], hasPast: true, load: () => import('./views/resources/index.js') },
  { name: 'Actors', path: '/actors', roles: ['auditor'], load: () => import('./views/actors/index.js') },
  { name: 'Integrity', path: '/integrity', roles: ['operator', 'auditor'], load: () => import('./views/integrity/index.js') },
  {
    name: 'Messaging',
    path: '/messaging',
    roles: ['operator', 'auditor'],
    hasPast: true,
    load: () => import('./views/messaging/index.js'),
  },
  { name: 'Accounting', path: '/accounting', roles: ['auditor'], hasPast: true, load: () => import('./views/accounting/index.js') },
  { name: 'Status', path: '/status', roles: ['operator', 'auditor'], hasPast: true, load: () => import('./views/status/index.js') },
  { name: 'Operations', path: '/operations', roles: ['operator'], load: () => import('./views/operations/index.js') },
];
