import type { View } from './shell/view.js';

/** In the order of the navigation. */
export const views: readonly View[] = [
  { name: 'Overview', path: '', roles: ['operator', 'auditor'], load: () => import('./views/overview/index.js') },
  { name: 'Projections', path: '/projections', roles: ['operator'], load: () => import('./views/projections/index.js') },
  { name: 'Operations', path: '/operations', roles: ['operator'], load: () => import('./views/operations/index.js') },
];
