import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { component, doc, nullable, oneOf } from '#domain/shared/shape.js';
import { PLACE_KINDS } from './place.js';

const PLACE = shownInside(
  'Place',
  {
    kind: oneOf(...PLACE_KINDS),
    id: doc(
      'text',
      'of a user: the id under which it acts; of a report its name; of an event its index; of a `record` the filter `record` of `/audit/events`',
    ),
    name: 'text',
    place: doc(
      nullable('text'),
      'name of the tenant, project or service that it belongs to; `at this position` of an event found by its position',
    ),
    within: doc(nullable('text'), 'id of the tenant of a report, group, host or profile, name of the project of a topic or subscription'),
    'report?': doc('text', 'of a group or host: name of its report'),
    'group?': doc('text', 'of a host: name of its group'),
  },
  {
    kind: 'messaging.subscription',
    id: '3fa0a1c2-7b1d-4c83-9d13-0d1f3f7f4a11',
    name: 'workers',
    place: 'monitoring',
    within: 'monitoring',
  },
);

export const PLACES = shaped('the places, the best first', component('Places', { items: [PLACE] }));
