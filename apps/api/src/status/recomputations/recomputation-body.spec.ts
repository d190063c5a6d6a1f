import { describe, expect, it } from '@jest/globals';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { recomputationBody, statusBody } from './recomputation-body.js';

describe('The body of a recomputation', () => {
  it.each([
    '{',
    '',
    '[]',
    '"x"',
    '{"id":1}',
    '{"requester_name":1}',
    '{"start_time":20150110}',
    '{"exclude":"SITE-A"}',
    '{"exclude":[1]}',
    '{"status":1}',
    '{"timestamp":1}',
    '{"history":{}}',
    '{"history":[{"status":1}]}',
    '{"exclude_metrics":{}}',
    '{"exclude_metrics":[{"hostname":1}]}',
    '{"exclude_metrics":[{"timestamp":1}]}',
    '{"exclude_monitoring_source":["mon"]}',
    '{"applied_status_changes":[{"state":true}]}',
  ])('is malformed if it is %s', (json) => expect(() => readBody(recomputationBody, Buffer.from(json))).toThrow(MalformedJson));

  it('takes the timestamp of an excluded metric for its host, as clients of the original service send it', () => {
    const sent = [
      { metric: 'm', timestamp: 'h1' },
      { metric: 'm', hostname: 'h2', timestamp: 'h1' },
      { timestamp: '', group: 'g' },
    ];
    const { exclude_metrics } = readBody(recomputationBody, Buffer.from(JSON.stringify({ exclude_metrics: sent })));
    expect(exclude_metrics).toEqual([{ metric: 'm', hostname: 'h1' }, { metric: 'm', hostname: 'h2' }, { group: 'g' }]);
  });

  it('tells lists of exclusions that are left out from empty ones', () => {
    const { exclude_metrics, exclude_monitoring_source, exclude } = readBody(recomputationBody, Buffer.from('{"exclude_metrics":[]}'));
    expect([exclude_metrics, exclude_monitoring_source, exclude]).toEqual([[], undefined, []]);
  });
});

describe('The body of a change of status', () => {
  it.each(['', '{', '[]', '"done"', '{"status":5}', '{"status":["done"]}'])('is malformed if it is %j', (json) =>
    expect(() => readBody(statusBody, Buffer.from(json))).toThrow(MalformedJson),
  );
});
