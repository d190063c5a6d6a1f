import { due, list, struct, text, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { dueText, textOf } from '#api/status/bodies.js';
import { type ThresholdsProfile, thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

const rule = struct({
  endpoint_group: textOf('only endpoints of this group'),
  host: textOf('only this host'),
  metric: due(text),
  thresholds: dueText('label=value[unit];warning range;critical range;min;max, one or more'),
});

/** Body members in the order of the wire. */
export const thresholdsProfilesKind: DatedKind<ThresholdsProfile> = {
  resource: thresholdsProfiles,
  path: 'api/v2/thresholds_profiles',
  tag: 'status: thresholds profiles',
  names: { one: 'ThresholdsProfile', many: 'ThresholdsProfiles', words: 'thresholds profiles' },
  commands: datedCommands(thresholdsProfiles),
  description: 'Ranges of performance data that make a metric WARNING or CRITICAL (extended contract 2)',
  body: datedBody(struct({ ...HEAD, rules: due(list(withoutEmpty(rule, 'endpoint_group', 'host'))) })),
  example: { name: 'response times', rules: [{ host: 'web.example.org', metric: 'http', thresholds: 'time=1s;0:0.5;0.5:1;0;10' }] },
  invalid: 'Invalid threshold: load',
  texts: {
    created: 'Thresholds Profile successfully created',
    updated: 'Thresholds Profile successfully updated',
    added: 'Thresholds Profile successfully updated',
    deleted: 'Thresholds Profile Successfully Deleted',
    nameTaken: 'Threshold Profile with the same name already exists', // sic
    nameTakenOnUpdate: 'Thresholds profile with the same name already exists',
  },
};
