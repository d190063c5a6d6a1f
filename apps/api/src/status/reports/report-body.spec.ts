import { describe, expect, it } from '@jest/globals';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { reportBody, reportIn } from './report-body.js';

const read = (json: string) => reportIn(readBody(reportBody, Buffer.from(json)));

describe('The body of a report', () => {
  it.each([
    '{',
    '',
    '[]',
    '{"id":1}',
    '{"tenant":1}',
    '{"weight":5}',
    '{"disabled":"true"}',
    '{"info":"name"}',
    '{"info":{"name":1}}',
    '{"info":{"created":1}}',
    '{"computations":[]}',
    '{"computations":{"ar":"true"}}',
    '{"computations":{"trends":"tags"}}',
    '{"thresholds":[]}',
    '{"thresholds":{"uptime":"80"}}',
    '{"topology_schema":[]}',
    '{"topology_schema":"SITES"}',
    '{"topology_schema":{"group":"SITES"}}',
    '{"topology_schema":{"group":[]}}',
    '{"topology_schema":{"group":{"type":1}}}',
    '{"topology_schema":{"group":{"type":"NGI","group":{"type":["SITES"]}}}}',
    '{"topology_schema":{"group":{"type":"NGI","group":{"type":"SITES","group":false}}}}',
    '{"profiles":{}}',
    '{"profiles":[{"id":5}]}',
    '{"profiles":[{"name":5}]}',
    '{"profiles":["metric"]}',
    '{"filter_tags":{}}',
    '{"filter_tags":[{"context":1}]}',
  ])('is malformed if it is %s', (json) => expect(() => read(json)).toThrow(MalformedJson));

  it('may leave out everything', () =>
    expect(read('null')).toEqual({
      name: '',
      description: '',
      weight: '',
      disabled: false,
      computations: undefined,
      thresholds: undefined,
      topology_schema: '{}',
      profiles: [],
      filter_tags: [],
    }));

  it('keeps the spelling of the topology schema, and the ids and types of profiles only', () =>
    expect(read('{"topology_schema":{"2":1.0,"1":{"group":5}},"profiles":[{"id":"p","name":"n","type":"metric"}]}')).toMatchObject({
      topology_schema: '{"2":1.0,"1":{"group":5}}',
      profiles: [{ id: 'p', type: 'metric' }],
    }));
});
