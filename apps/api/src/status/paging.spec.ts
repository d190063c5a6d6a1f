import { describe, expect, it } from '@jest/globals';
import { pageOf, pageToken } from './paging.js';

describe('a page', () => {
  it.each([
    [{}, { offset: 0, size: undefined }],
    [
      { pageSize: '', nextPageToken: '' },
      { offset: 0, size: undefined },
    ],
    [{ pageSize: '0' }, { offset: 0, size: undefined }],
    [{ pageSize: '-7' }, { offset: 0, size: undefined }],
    [{ pageSize: '007' }, { offset: 0, size: 7 }],
    [{ pageSize: '1000000000' }, { offset: 0, size: 1_000_000_000 }],
    [
      { pageSize: ['3', 'x'], nextPageToken: ['MTA=', '?'] },
      { offset: 10, size: 3 },
    ],
    [{ nextPageToken: 'MTA' }, { offset: 10, size: undefined }],
    [{ nextPageToken: 'MA==' }, { offset: 0, size: undefined }],
    [{ nextPageToken: pageToken(123_456) }, { offset: 123_456, size: undefined }],
  ])('of %j is %j', (query, page) => expect(pageOf(query)).toEqual(page));

  const TOO_LARGE = Buffer.from('9'.repeat(16)).toString('base64');
  it.each(['1.5', '1e9', 'x', ' 1', '0x10', '9'.repeat(16), '٣'])('cannot have the size %j', (pageSize) =>
    expect(() => pageOf({ pageSize })).toThrow('status 400'),
  );
  it.each(['10', 'LTE=', 'MTA=x', 'MTA==', '====', 'MDE=', 'MS41', TOO_LARGE, '=x'.repeat(8_000)])(
    'cannot begin at %.20j',
    (nextPageToken) => expect(() => pageOf({ nextPageToken })).toThrow('status 400'),
  );
});
