import { due, limited, list, struct, text } from '#api/shared/bodies/body-shape.js';
import { dueText } from '#api/status/bodies.js';
import { type OperationsProfile, operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

const STATE = dueText('one of the available states');

/** Body members in the order of the wire. */
export const operationsProfilesKind: DatedKind<OperationsProfile> = {
  resource: operationsProfiles,
  path: 'api/v2/operations_profiles',
  tag: 'status: operations profiles',
  names: { one: 'OperationsProfile', many: 'OperationsProfiles', words: 'operations profiles' },
  commands: datedCommands(operationsProfiles),
  description: 'How statuses are combined (status contract 4)',
  body: datedBody(
    struct({
      ...HEAD,
      available_states: due(limited(list(text), { maxItems: 1000 })),
      defaults: due(
        struct({
          down: dueText('of endpoints in a downtime'),
          missing: dueText('where there is no metric data'),
          unknown: dueText('where it is not known'),
        }),
      ),
      operations: due(
        list(
          struct({
            name: dueText('such as `AND`, `OR`'),
            truth_table: due(list(struct({ a: STATE, b: STATE, x: dueText('what `a` and `b` make') }))),
          }),
        ),
      ),
    }),
  ),
  example: {
    name: 'ops',
    available_states: ['OK', 'DOWN'],
    defaults: { down: 'DOWN', missing: 'DOWN', unknown: 'DOWN' },
    operations: [{ name: 'AND', truth_table: [{ a: 'OK', b: 'DOWN', x: 'DOWN' }] }],
  },
  invalid: 'State:OK is duplicated',
  texts: {
    created: 'Operations Profile successfully created',
    updated: 'Operations Profile successfully updated',
    deleted: 'Operations Profile Successfully Deleted',
    nameTaken: 'Operations profile with the same name already exists',
  },
};
