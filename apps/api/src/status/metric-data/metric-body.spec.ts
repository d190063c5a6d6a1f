import { describe, expect, it } from '@jest/globals';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { describedMembers } from '#api/status/bodies.js';
import { Schemas } from '#domain/shared/shape.js';
import { BadItem, metricItem, readItem as readBytes } from './metric-body.js';

const readItem = (json: string) => readBytes(Buffer.from(json));

describe('An item', () => {
  const item = { timestamp: '2015-05-01T01:02:03Z', report: 'r', service: 's', host: 'h', metric: 'm', status: 'OK' };
  const read = (changes: object) => readItem(JSON.stringify({ ...item, ...changes }));
  const plain = { host: 'h', timestamp: '2015-05-01T01:02:03Z', report: 'r', endpoint_group: '', service: 's', metric: 'm', status: 'OK' };

  it('has its host first', () => expect(Object.keys(read({}))[0]).toBe('host'));
  it.each([{ report: undefined }, { report: null }, { report: '' }])('with %j is for every report', (changes) => {
    const { report: _, ...result } = plain;
    expect(read(changes)).toEqual({ ...result, summary: '', message: '' });
  });
  it('names its report by id', () =>
    expect(new Schemas().of(describedMembers(metricItem))).toHaveProperty(
      'properties.report.description',
      expect.stringContaining('id of a report'),
    ));
  it('may have an empty service', () => expect(read({ service: '' })).toMatchObject({ service: '' }));
  it('needs five members, and other texts are empty if they are left out', () =>
    expect(read({})).toEqual({ ...plain, summary: '', message: '' }));
  it.each([{ host: undefined }, { host: null }, { host: '' }, { host: 'h', hostname: 'other' }])(
    'may call its host hostname: %j',
    (changes) => expect(read({ hostname: 'h', ...changes })).toEqual(read({})),
  );
  it('may have more members, of which empty and unknown ones are left out', () => {
    const more = {
      previous_timestamp: '2015-04-30T23:59:59Z',
      previous_state: 'OK',
      info: { URL: 'u', __proto: '' },
      actual_data: 'a=1',
      threshold_rule_applied: 'a=1:2',
      original_status: 'OK',
    };
    expect(read({ ...more, date: 20150501, time: null })).toEqual({ ...plain, summary: '', message: '', ...more });
    expect(read({ previous_state: '', info: {}, actual_data: null })).toEqual({ ...plain, summary: '', message: '' });
  });
  it('loses fractions of seconds', () =>
    expect(read({ timestamp: '2015-05-01T01:02:03.999Z', previous_timestamp: '2015-04-30T23:59:59.5Z' })).toMatchObject({
      timestamp: '2015-05-01T01:02:03Z',
      previous_timestamp: '2015-04-30T23:59:59Z',
    }));

  it.each([
    [{ timestamp: undefined }, 'timestamp is missing'],
    [{ service: null }, 'service is missing'],
    [{ service: undefined, host: '' }, 'service is missing'],
    [{ host: '', status: '' }, 'host is missing'],
    [{ metric: undefined }, 'metric is missing'],
    [{ status: undefined }, 'status is missing'],
    [{ host: '' }, 'host is missing'],
    [{ status: '' }, 'status is missing'],
    [{ timestamp: '2015-05-01' }, 'timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
    [{ info: [] }, 'found array where an object is due'],
    [{ timestamp: '2015-02-29T00:00:00Z' }, 'timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
    [{ previous_timestamp: 'yesterday' }, 'previous_timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
    [{ status: 5 }, 'found number where string is due'],
    [{ info: { a: 1 } }, 'found number where string is due'],
    [{ info: 'x' }, 'found string where an object is due'],
  ])('is refused with %j', (changes, message) => expect(() => read(changes)).toThrow(new BadItem(message)));
  it.each(['null', '[]', '"x"', '1'])('must be an object, not %s', (json) => expect(() => readItem(json)).toThrow(BadItem));
  it.each(['', '{', '{} {}', 'x'])('must be JSON, not %j', (json) => expect(() => readItem(json)).toThrow(MalformedJson));
});
