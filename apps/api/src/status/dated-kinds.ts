import { operationsProfiles } from '#domain/status/operations-profiles.js';
import { weights } from '#domain/status/weights.js';
import { list, number, struct, text } from '../shared/body-shape.js';
import { datedController } from './dated.controller.js';

/** Bodies list members in the order of the wire. */
export const OperationsProfilesController = datedController({
  resource: operationsProfiles,
  routes: 'operationsProfiles',
  shape: struct({
    id: text,
    date: text,
    name: text,
    available_states: list(text),
    defaults: struct({ down: text, missing: text, unknown: text }),
    operations: list(struct({ name: text, truth_table: list(struct({ a: text, b: text, x: text })) })),
  }),
  texts: {
    created: 'Operations Profile successfully created',
    updated: 'Operations Profile successfully updated',
    deleted: 'Operations Profile Successfully Deleted',
    nameTaken: 'Operations profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
});

export const WeightsController = datedController({
  resource: weights,
  routes: 'weights',
  shape: struct({
    id: text,
    date: text,
    name: text,
    weight_type: text,
    group_type: text,
    groups: list(struct({ name: text, value: number })),
  }),
  texts: {
    created: 'Weights resource succesfully created', // sic
    updated: 'Weights resource successfully updated',
    deleted: 'Weights resource successfully deleted',
    nameTaken: 'Weights resource with the same name already exists',
  },
  updateRefers: true,
  existenceFirst: true,
});
