import { describe, expect, it } from '@jest/globals';
import { IssuerDocuments } from './fetch-json.js';

const ISSUER = 'https://idp.example.org';
const documentsOf = (...addresses: readonly string[]) => IssuerDocuments.of(ISSUER, () => Promise.resolve(addresses));

describe('documents of an issuer', () => {
  it.each([[['8.8.8.8', '10.0.0.1']], [['10.0.0.1', '8.8.8.8']], [['8.8.8.8', '2a00:1450:4001::1', '::1']]])(
    'whose name has one private address beside public ones are not fetched: %j',
    (addresses) => expect(documentsOf(...addresses)).rejects.toThrow(`${ISSUER} has public and private addresses`),
  );

  it.each([
    ['8.8.8.8', 'https://127.0.0.1/keys', '127.0.0.1 has no public address'],
    ['8.8.8.8', 'https://[::1]/keys', '::1 has no public address'],
    ['8.8.8.8', 'https://localhost/keys', 'localhost has no public address'],
    ['8.8.8.8', 'http://127.0.0.1/keys', 'has another scheme than its issuer'],
    ['10.0.0.1', 'https://8.8.8.8/keys', '8.8.8.8 has no private address'],
  ])('at %s are not fetched from %s', async (address, url, reason) => {
    const documents = await documentsOf(address);
    try {
      await expect(documents.fetch(url)).rejects.toThrow(reason);
    } finally {
      documents.close();
    }
  });
});
