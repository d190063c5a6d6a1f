import { due, list, number, struct, text } from '#api/shared/bodies/body-shape.js';
import { dueText } from '#api/status/bodies.js';
import { type Weights, weights } from '#domain/status/dated-records/weights.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

/** Body members in the order of the wire. */
export const weightsKind: DatedKind<Weights> = {
  resource: weights,
  path: 'api/v2/weights',
  tag: 'status: weights',
  names: { one: 'WeightsProfile', many: 'WeightsProfiles', words: 'weights profiles' },
  commands: datedCommands(weights),
  description: 'Weights of groups (status contract 7)',
  body: datedBody(
    struct({
      ...HEAD,
      weight_type: dueText('such as `hepspec`'),
      group_type: dueText('type of the groups'),
      groups: due(list(struct({ name: due(text), value: due(number) }))),
    }),
  ),
  example: { name: 'hepspec', weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 1234.5 }] },
  texts: {
    created: 'Weights resource succesfully created', // sic
    updated: 'Weights resource successfully updated',
    deleted: 'Weights resource successfully deleted',
    nameTaken: 'Weights resource with the same name already exists',
  },
  updateRefers: true,
  existenceFirst: true,
};
