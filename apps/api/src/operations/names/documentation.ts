import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { NAMED_KINDS } from '#domain/operations/named-kinds.js';
import { component, doc, nullable, oneOf } from '#domain/shared/shape.js';

const NAME = shownInside(
  'RecordName',
  {
    kind: oneOf(...NAMED_KINDS),
    id: 'text',
    name: doc(nullable('text'), '`erased user`, `deleted tenant` and the like for what has no name any more; null where no name is known'),
    place: doc(nullable('text'), 'name of the tenant or project that the record belongs to'),
    state: doc(oneOf('present', 'gone', 'unknown'), '`gone`: deleted or erased; `unknown`: there is no such record, or no trace of it'),
  },
  {
    kind: 'status.user',
    id: '3fa0a1c2-7b1d-4c83-9d13-0d1f3f7f4a11',
    name: 'Ada Lovelace',
    place: 'Alpine Grid',
    state: 'present',
  },
);

export const RECORD_NAMES = shaped('the names', component('RecordNames', { items: [NAME] }));
