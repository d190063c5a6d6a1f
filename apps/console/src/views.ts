import type { View } from './shell/view.js';

/** All pages, in the order of the navigation. */
export const views: readonly View[] = [
  { name: 'Overview', path: '', roles: ['operator', 'auditor'], pages: { '': () => import('./views/overview/index.js') } },
  {
    name: 'Changes',
    path: '/changes',
    roles: ['operator', 'auditor'],
    hasPast: true,
    pages: { '': () => import('./views/changes/index.js') },
  },
  {
    name: 'Projections',
    path: '/projections',
    roles: ['operator'],
    pages: { '': () => import('./views/projections/list.js'), '/:name': () => import('./views/projections/one.js') },
  },
  {
    name: 'Events',
    path: '/events',
    roles: ['operator', 'auditor'],
    hasPast: true,
    pages: { '/:index?': () => import('./views/events/index.js') },
  },
  {
    name: 'Resources',
    path: '/resources',
    roles: ['auditor'],
    hasPast: true,
    pages: { '': () => import('./views/resources/index.js'), '/:service/:kind/:id': () => import('./views/resources/one.js') },
  },
  {
    name: 'Actors',
    path: '/actors',
    roles: ['auditor'],
    pages: { '': () => import('./views/actors/index.js'), '/:id': () => import('./views/actors/one.js') },
  },
  {
    name: 'Integrity',
    path: '/integrity',
    roles: ['operator', 'auditor'],
    pages: { '': () => import('./views/integrity/index.js'), '/proofs/:index': () => import('./views/integrity/proof-report.js') },
  },
  {
    name: 'Messaging',
    path: '/messaging',
    roles: ['operator', 'auditor'],
    hasPast: true,
    pages: {
      '': () => import('./views/messaging/index.js'),
      '/:project': () => import('./views/messaging/project.js'),
      '/:project/topics/:name': () => import('./views/messaging/topic.js'),
      '/:project/subscriptions/:name': () => import('./views/messaging/subscription.js'),
      '/:project/:topic': () => import('./views/messaging/moved.js'),
    },
  },
  {
    name: 'Accounting',
    path: '/accounting',
    roles: ['auditor'],
    hasPast: true,
    pages: { '': () => import('./views/accounting/index.js') },
  },
  {
    name: 'Status',
    path: '/status',
    roles: ['operator', 'auditor'],
    hasPast: true,
    pages: { '': () => import('./views/status/index.js') },
  },
  { name: 'Operations', path: '/operations', roles: ['operator'], pages: { '': () => import('./views/operations/index.js') } },
];
